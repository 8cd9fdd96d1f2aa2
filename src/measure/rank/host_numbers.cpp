// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/host_numbers.h"

#include <fmt/core.h>

#include <simgrid/s4u.hpp>

// SimGrid 4.0 has these functions too, beside new ones that 3.32 has not.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace colltree {

namespace s4u = simgrid::s4u;

HostNumbers::HostNumbers() {
  s4u::Host::on_creation_cb([this](const s4u::Host& host) {
    if (known_.insert(host.get_name()).second) greatest_ = told_;
    ++told_;
  });
}

void HostNumbers::make_room() {
  const std::uint64_t hosts = known_.size();
  const std::uint64_t numbers = greatest_ + 1;
  if (numbers <= hosts) return;
  s4u::NetZone* zone = s4u::create_full_zone("unused hosts");
  zone->set_parent(s4u::Engine::get_instance()->get_netzone_root());
  for (std::uint64_t i = hosts; i < numbers; ++i)
    zone->create_host(fmt::format("~unused-{}", i), 1e9);
  zone->seal();
}

}  // namespace colltree
