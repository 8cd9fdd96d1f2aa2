// SPDX-License-Identifier: BSD-3-Clause
// Costs of what leaves something on every rank without folding: allgather(v), alltoall(v), barrier.
#include "parametric/cost_call.h"

namespace colltree::parametric::formulas {

double allgather_ring(const CostCall& call) { return call.others() * call.message(call.bytes); }

double allgather_recursive_doubling(const CostCall& call) {
  return halving(call, call.bytes * static_cast<double>(call.ranks),
                 [&](double b) { return call.message(b); });
}

// Bruck's rounds, the longest distance first.
double allgather_sparbit(const CostCall& call) {
  double sum = 0;
  for (std::uint64_t distance = std::bit_ceil(call.ranks) / 2; distance > 0; distance /= 2) {
    const std::uint64_t blocks = (call.ranks - 1 + distance) / (2 * distance);
    sum += call.message(static_cast<double>(blocks) * call.bytes);
  }
  return sum;
}

// Rounds of up to radix - 1 messages at once; the last of a round may be shorter.
double allgather_bruck(const CostCall& call) {
  double sum = 0;
  for (std::uint64_t have = 1; have < call.ranks; have *= call.radix) {
    double round = 0;
    for (std::uint64_t j = 1; j < call.radix && j * have < call.ranks; ++j) {
      const std::uint64_t blocks = std::min(have, call.ranks - j * have);
      const double bytes = static_cast<double>(blocks) * call.bytes;
      round += j == 1 ? call.message(bytes) : call.gap(bytes);
    }
    sum += round;
  }
  return sum;
}

// All that a rank has, to each of the others of an exchange.
double allgather_recursive_multiplying(const CostCall& call) {
  const Factors factors = multiplying_steps(call);
  const double total_bytes = static_cast<double>(call.ranks) * call.bytes;
  double sum =
      all_take_part(call, factors) ? 0 : call.message(call.bytes) + call.message(total_bytes);
  double have = total_bytes / static_cast<double>(factors.product());
  for (int i = 0; i < factors.steps(); ++i) {
    sum += call.burst(static_cast<double>(factors.factor(i) - 1), have);
    have *= static_cast<double>(factors.factor(i));
  }
  return sum;
}

double allgather_neighbor_exchange(const CostCall& call) {
  const auto exchanges = static_cast<double>(call.ranks) / 2;  // even
  return call.message(call.bytes) + (exchanges - 1) * call.message(2 * call.bytes);
}

double allgather_gather_bcast(const CostCall& call) {
  return up_us(call, kBinomialTree, call.ranks, {.bytes_per_rank = call.bytes}) +
         down_us(call, kBinomialTree, call.ranks,
                 {.bytes = static_cast<double>(call.ranks) * call.bytes});
}

// All steps at once, or a window of steps under way: a step ends when its message has arrived.
double alltoall_linear(const CostCall& call) {
  const std::uint64_t window =
      call.requests == 0 ? call.ranks - 1 : std::min(call.requests, call.ranks - 1);
  const double next =
      std::max(call.gap(call.bytes), call.message(call.bytes) / static_cast<double>(window));
  return call.message(call.bytes) + (call.others() - 1) * next;
}

// A round for each digit of the distance; in it a message for each value of the digit but 0, with
// the blocks that have it there.
double alltoall_bruck(const CostCall& call) {
  double sum = 0;
  for (std::uint64_t weight = 1; weight < call.ranks; weight *= call.radix) {
    double round = 0;
    const std::uint64_t turn = weight * call.radix;
    for (std::uint64_t digit = 1; digit < call.radix && digit * weight < call.ranks; ++digit) {
      const std::uint64_t whole = call.ranks / turn * weight;
      const std::uint64_t left = call.ranks % turn;
      const std::uint64_t begin = std::min(left, digit * weight);
      const std::uint64_t blocks = whole + std::min(left, (digit + 1) * weight) - begin;
      const double bytes = static_cast<double>(blocks) * call.bytes;
      round += digit == 1 ? call.message(bytes) : call.gap(bytes);
    }
    sum += round;
  }
  return sum;
}

double barrier_tree(const CostCall& call) {
  return up_us(call, kBinomialTree, call.ranks, {}) + down_us(call, kBinomialTree, call.ranks, {});
}

double barrier_double_ring(const CostCall& call) {
  return 2 * static_cast<double>(call.ranks) * call.message(0);
}

double barrier_dissemination(const CostCall& call) {
  CostCall empty = call;
  empty.bytes = 0;
  return allgather_bruck(empty);
}

double barrier_recursive_doubling(const CostCall& call) {
  return (power_steps(call) + (is_power(call) ? 0 : 2)) * call.message(0);
}

}  // namespace colltree::parametric::formulas
