// SPDX-License-Identifier: BSD-3-Clause
// Costs of what knows the nodes: a part inside the fullest node and a part across nodes, one after
// the other. A network has one kind of message, so these say what the number of messages costs, and
// not that those inside a node are cheaper.
#include "parametric/cost_call.h"

namespace colltree::parametric::formulas {

namespace {

CostCall among(const CostCall& call, std::uint64_t ranks, double bytes) {
  CostCall part = call;
  part.ranks = ranks;
  part.bytes = bytes;
  return part;
}
CostCall inside(const CostCall& call, double bytes) {
  return among(call, call.ranks_per_node, bytes);
}
CostCall across(const CostCall& call, double bytes) { return among(call, call.nodes, bytes); }

// The number of leaders on a node, each with its part of the message.
std::uint64_t leaders(const CostCall& call) {
  return call.leaders == 0 ? call.ranks_per_node : std::min(call.leaders, call.ranks_per_node);
}
double part(const CostCall& call) { return call.bytes / static_cast<double>(leaders(call)); }
// Segments follow each other from one tree into the other.
double segment(const CostCall& call) { return Pieces(call.bytes, call.segment_bytes).length; }

// All of a message that some ranks have parts of comes to all of them.
double gather(const CostCall& call, std::uint64_t ranks, double block) {
  return allgather_bruck(among(call, ranks, block));
}

double group(const CostCall& call) {
  return static_cast<double>(call.ranks_per_node) / static_cast<double>(leaders(call));
}
// The ranks of a group hand all that they send to their leader, and leaders exchange that.
double collected_across(const CostCall& call) {
  const double row = call.bytes * static_cast<double>(call.ranks);
  const double to_node = group(call) * call.bytes * static_cast<double>(call.ranks_per_node);
  return call.burst(group(call) - 1, row) +
         call.burst(static_cast<double>(call.nodes - 1), to_node);
}

constexpr double kShortPart = 16384;  // libs/mpi/algorithms/hierarchical.cpp

}  // namespace

double bcast_hierarchical(const CostCall& call) {
  return bcast_knomial(across(call, call.bytes)) + bcast_knomial(inside(call, segment(call)));
}

double reduce_hierarchical(const CostCall& call) {
  return reduce_knomial(across(call, call.bytes)) + reduce_knomial(inside(call, segment(call)));
}

// A part to each rank of the root's node, down the lanes, from all ranks of a node to all.
double bcast_multi_leader(const CostCall& call) {
  CostCall lane = across(call, part(call));
  lane.segment_bytes = kShortPart;
  const double down = lane.bytes <= kShortPart ? bcast_knomial(lane) : bcast_binary(lane);
  return call.burst(static_cast<double>(leaders(call) - 1), lane.bytes) + down +
         gather(call, call.ranks_per_node, call.bytes / static_cast<double>(call.ranks_per_node));
}

double reduce_multi_leader(const CostCall& call) {
  const CostCall lane = across(call, part(call));
  const double up = lane.bytes <= kShortPart ? reduce_knomial(lane) : reduce_rabenseifner(lane);
  return reduce_scatter_circulant(inside(call, call.bytes)) + up +
         call.burst(static_cast<double>(leaders(call) - 1), lane.bytes);
}

double allreduce_hierarchical(const CostCall& call) {
  const CostCall node = inside(call, call.bytes);
  return reduce_knomial(node) + allreduce_recursive_doubling(across(call, call.bytes)) +
         bcast_knomial(node);
}

double allreduce_multi_leader(const CostCall& call) {
  const CostCall lane = across(call, part(call));
  const double among_nodes =
      lane.bytes <= kShortPart ? allreduce_recursive_doubling(lane) : allreduce_circulant(lane);
  return reduce_scatter_circulant(inside(call, call.bytes)) + among_nodes +
         gather(call, call.ranks_per_node, call.bytes / static_cast<double>(call.ranks_per_node));
}

double allgather_hierarchical(const CostCall& call) {
  const double of_node = static_cast<double>(call.ranks_per_node) * call.bytes;
  return up_us(call, kBinomialTree, call.ranks_per_node, {.bytes_per_rank = call.bytes}) +
         gather(call, call.nodes, of_node) +
         bcast_knomial(inside(call, static_cast<double>(call.ranks) * call.bytes));
}

// A leader has those of its group, which come up a tree, then of a group on each node, then all.
double allgather_locality(const CostCall& call) {
  const std::uint64_t lanes = leaders(call);
  const std::uint64_t group = (call.ranks_per_node + lanes - 1) / lanes;
  return up_us(call, kBinomialTree, group, {.bytes_per_rank = call.bytes}) +
         gather(call, call.nodes, static_cast<double>(group) * call.bytes) +
         gather(call, call.ranks_per_node, static_cast<double>(call.nodes) * call.bytes);
}

double alltoall_locality(const CostCall& call) {
  const double to_rank = group(call) * call.bytes * static_cast<double>(call.nodes);
  return collected_across(call) +
         static_cast<double>(call.ranks_per_node - 1) * call.message(to_rank);
}

// The lengths of what others pass on go before.
double alltoallv_locality(const CostCall& call) {
  CostCall lengths = call;
  lengths.bytes = 8;
  return collected_across(lengths) + alltoall_locality(call);
}

double barrier_hierarchical(const CostCall& call) {
  return barrier_tree(inside(call, 0)) + barrier_dissemination(across(call, 0));
}

}  // namespace colltree::parametric::formulas
