// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/simgrid_internals.h"

// clang-format off: version.h needs the macros of forward.h
#include <simgrid/forward.h>
#include <simgrid/version.h>
// clang-format on
#include <fmt/core.h>
#include <smpi/smpi.h>

#include <simgrid/s4u.hpp>

// SimGrid 4.0 has the functions of HostNumbers too, beside new ones that 3.32 has not.
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

// Nothing public tells a rank its world. Internals of SimGrid: only for versions they were tried
// with.
#if SIMGRID_VERSION >= 33200 && SIMGRID_VERSION < 33300

namespace simgrid::smpi {

class ActorExt {
 public:
  static xbt::Extension<s4u::Actor, ActorExt> EXTENSION_ID;
  MPI_Comm comm_world() const;
  void set_replaying(bool value);  // its replay of traces knows no contents
};

}  // namespace simgrid::smpi

namespace simgrid::kernel {

class EngineImpl {
 public:
  static double now_;
};

}  // namespace simgrid::kernel

void colltree::know_only_world() {
  MPI_COMM_WORLD = simgrid::s4u::Actor::self()->extension<simgrid::smpi::ActorExt>()->comm_world();
}

void colltree::carry_content(bool carries) {
  simgrid::s4u::Actor::self()->extension<simgrid::smpi::ActorExt>()->set_replaying(!carries);
}

bool colltree::can_rewind_clock() { return true; }
void colltree::rewind_clock() { simgrid::kernel::EngineImpl::now_ = 0; }

#else

void colltree::know_only_world() {}
void colltree::carry_content(bool) {}
bool colltree::can_rewind_clock() { return false; }
void colltree::rewind_clock() {}

#endif
