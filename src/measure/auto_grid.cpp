// SPDX-License-Identifier: BSD-3-Clause
#include "measure/auto_grid.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/error.h"

namespace colltree {

namespace {

void add_powers_of_two(std::set<std::uint64_t>& sizes, std::uint64_t most) {
  for (std::uint64_t power = 2; power <= most; power *= 2) {
    sizes.insert(power);
    const std::uint64_t odd = power + power / 2 - (power > 2 ? 1 : 0);
    if (odd <= most) sizes.insert(odd);
  }
}

void add_whole_nodes(std::set<std::uint64_t>& sizes, const Allocation& allocation) {
  constexpr std::uint64_t kAllOf = 4;
  const std::uint64_t node = allocation.ranks_per_node;
  for (std::uint64_t nodes = 1; nodes * node <= allocation.ranks;
       nodes += std::max<std::uint64_t>(1, nodes < kAllOf ? 1 : nodes / 4)) {
    sizes.insert(nodes * node);
  }
}

}  // namespace

std::vector<std::uint64_t> usual_communicator_sizes(const Allocation& allocation) {
  if (allocation.ranks < 2) {
    throw Error(
        fmt::format("--communicator-sizes auto: there is one rank, by {}; give the sizes as a list",
                    allocation.known_from));
  }
  std::set<std::uint64_t> sizes = {allocation.ranks};
  add_powers_of_two(sizes, allocation.ranks);
  if (allocation.ranks_per_node > 1) add_whole_nodes(sizes, allocation);
  return {sizes.begin(), sizes.end()};
}

std::vector<std::uint64_t> usual_message_sizes() {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = 1; size <= std::uint64_t{1} << 20; size *= 2) sizes.push_back(size);
  return sizes;
}

Grid grid_of_calls(std::span<const CallCount> calls, const std::vector<Collective>& collectives,
                   const std::string& file) {
  constexpr double kPerOctave = 4;
  std::set<std::uint64_t> communicator_sizes;
  std::map<long, std::map<std::uint64_t, double>> by_octave;  // message size: calls
  for (const CallCount& one : calls) {
    const Instance& at = one.instance;
    if (std::ranges::count(collectives, at.collective) == 0 || at.communicator_size < 2) continue;
    communicator_sizes.insert(at.communicator_size);
    const double octave = std::log2(static_cast<double>(at.message_size) + 1);
    if (message_unit(at.collective) != MessageUnit::kNone)
      by_octave[std::lround(kPerOctave * octave)][at.message_size] += one.calls;
  }
  if (communicator_sizes.empty())
    throw Error(
        fmt::format("{}: has no calls of these collectives; name them with --collective", file));
  Grid grid{{communicator_sizes.begin(), communicator_sizes.end()}, {}};
  for (const auto& [octave, sizes] : by_octave) {
    grid.message_sizes.push_back(
        std::ranges::max_element(sizes, {}, [](const auto& one) { return one.second; })->first);
  }
  std::ranges::sort(grid.message_sizes);
  if (grid.message_sizes.empty()) grid.message_sizes = {0};  // barriers only
  return grid;
}

}  // namespace colltree
