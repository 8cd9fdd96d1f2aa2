// SPDX-License-Identifier: BSD-3-Clause
#include "rank/simulated_environment.h"

// clang-format off: version.h needs the macros of forward.h
#include <simgrid/forward.h>
#include <simgrid/version.h>
// clang-format on
#include <fmt/core.h>
#include <smpi/smpi.h>

#include <algorithm>
#include <simgrid/s4u.hpp>

#include "base/error.h"
#include "base/text.h"

// SimGrid 4.0 has the functions of HostNumbers too, beside new ones that 3.32 has not.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace colltree::rank {

namespace s4u = simgrid::s4u;

void SimulatedConductor::enter(MPI_Comm comm) {
  const int size = size_of(comm);
  s4u::BarrierPtr& barrier = shared_.barrier[size];
  if (!barrier) barrier = s4u::Barrier::create(static_cast<unsigned>(size));
  barrier_ = barrier;
}

Durations SimulatedConductor::run(std::size_t repetitions, const Timed& timed) {
  Durations durations(repetitions);
  if (timed.begin) timed.begin();
  for (std::size_t i = 0; i < repetitions; ++i) {
    barrier_->wait();
    const double start = s4u::Engine::get_clock();
    shared_.last_end_s = start;
    barrier_->wait();
    timed.call(i);
    shared_.last_end_s = std::max(shared_.last_end_s, s4u::Engine::get_clock());
    barrier_->wait();
    durations[i] = shared_.last_end_s - start;
  }
  if (timed.end) timed.end();
  return durations;
}

// No message: SMPI's allreduce among more than 128 ranks asks each for its node before.
bool SimulatedConductor::everywhere(bool mine) {
  shared_.everywhere = true;
  barrier_->wait();
  shared_.everywhere = shared_.everywhere && mine;
  barrier_->wait();
  const bool everywhere = shared_.everywhere;
  barrier_->wait();
  return everywhere;
}

// The platform's own zone is the root, or its only child when SimGrid wraps it.
const char* platform_property(const char* name) {
  const auto* root = s4u::Engine::get_instance()->get_netzone_root();
  const char* text = root->get_property(name);
  for (const auto* zone : root->get_children()) {
    if (text == nullptr) text = zone->get_property(name);
  }
  return text;
}

namespace {

double reduce_s_per_byte = 0;
double copy_s_per_byte = 0;

double property_ns(const char* name) {
  const char* text = platform_property(name);
  if (text == nullptr) return 0;
  const auto value = parse_number<double>(text);
  if (!value || !(*value >= 0))
    throw Error(fmt::format("platform: {} is '{}', not a number from 0 up", name, text));
  return *value * 1e-9;
}

void charge(double seconds) {
  if (seconds > 0) s4u::this_actor::sleep_for(seconds);
}

void sum(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* left = static_cast<const std::int32_t*>(in);
  auto* right = static_cast<std::int32_t*>(inout);
  for (int i = 0; i < *count; ++i) right[i] += left[i];
  charge(4.0 * *count * reduce_s_per_byte);
}

void exclusive_or(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* left = static_cast<const unsigned char*>(in);
  auto* right = static_cast<unsigned char*>(inout);
  for (int i = 0; i < *count; ++i) right[i] ^= left[i];
  charge(1.0 * *count * reduce_s_per_byte);
}

MPI_Op make(MPI_User_function* function) {
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(function, 1, &op);
  return op;
}

}  // namespace

void load_simulated_cost() {
  reduce_s_per_byte = property_ns("colltree/reduce_ns_per_byte");
  copy_s_per_byte = property_ns("colltree/copy_ns_per_byte");
}

std::uint64_t hosts_per_node() {
  constexpr const char* kName = "colltree/ranks_per_node";
  const char* text = platform_property(kName);
  return text == nullptr
             ? 1
             : parse_whole(text, protocol::kRanksPerNode, fmt::format("platform: {}", kName));
}

RankEnvironment simulated_rank(SimulatedConductor& conductor, std::uint64_t ranks_per_node) {
  RankEnvironment environment;
  environment.conductor = &conductor;
  environment.charge_copy = [](std::size_t bytes) {
    charge(static_cast<double>(bytes) * copy_s_per_byte);
  };
  environment.sum = make(sum);
  environment.exclusive_or = make(exclusive_or);
  environment.node_of = [ranks_per_node](int rank) {
    return static_cast<int>(static_cast<std::uint64_t>(rank) / ranks_per_node);
  };
  return environment;
}

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

}  // namespace colltree::rank

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

void colltree::rank::know_only_world() {
  MPI_COMM_WORLD = simgrid::s4u::Actor::self()->extension<simgrid::smpi::ActorExt>()->comm_world();
}

void colltree::rank::carry_content(bool carries) {
  simgrid::s4u::Actor::self()->extension<simgrid::smpi::ActorExt>()->set_replaying(!carries);
}

bool colltree::rank::can_rewind_clock() { return true; }
void colltree::rank::rewind_clock() { simgrid::kernel::EngineImpl::now_ = 0; }

#else

void colltree::rank::know_only_world() {}
void colltree::rank::carry_content(bool) {}
bool colltree::rank::can_rewind_clock() { return false; }
void colltree::rank::rewind_clock() {}

#endif
