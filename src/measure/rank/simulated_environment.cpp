// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/simulated_environment.h"

#include <fmt/core.h>

#include <algorithm>
#include <simgrid/s4u/Actor.hpp>
#include <simgrid/s4u/Engine.hpp>
#include <simgrid/s4u/NetZone.hpp>

#include "base/error.h"
#include "base/text.h"

namespace colltree {

void SimulatedConductor::enter(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  simgrid::s4u::BarrierPtr& barrier = shared_.barrier[size];
  if (!barrier) barrier = simgrid::s4u::Barrier::create(static_cast<unsigned>(size));
  barrier_ = barrier;
}

Durations SimulatedConductor::run(std::size_t repetitions, const Timed& timed) {
  Durations durations(repetitions);
  if (timed.begin) timed.begin();
  for (std::size_t i = 0; i < repetitions; ++i) {
    barrier_->wait();
    const double start = simgrid::s4u::Engine::get_clock();
    shared_.last_end_s = start;
    barrier_->wait();
    timed.call(i);
    shared_.last_end_s = std::max(shared_.last_end_s, simgrid::s4u::Engine::get_clock());
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
  const bool all = shared_.everywhere;
  barrier_->wait();
  return all;
}

// The platform's own zone is the root, or its only child when SimGrid wraps it.
const char* platform_property(const char* name) {
  const auto* root = simgrid::s4u::Engine::get_instance()->get_netzone_root();
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
  if (seconds > 0) simgrid::s4u::this_actor::sleep_for(seconds);
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
  return text == nullptr ? 1 : parse_whole(text, kRanksPerNode, fmt::format("platform: {}", kName));
}

void charge_copy(std::size_t bytes) { charge(static_cast<double>(bytes) * copy_s_per_byte); }

MPI_Op make_charged_sum() { return make(sum); }
MPI_Op make_charged_exclusive_or() { return make(exclusive_or); }

}  // namespace colltree
