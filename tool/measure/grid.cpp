// SPDX-License-Identifier: BSD-3-Clause
#include "measure/grid.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/bounds.h"
#include "base/error.h"
#include "base/text.h"

namespace colltree::measure {

namespace {

struct NamedGrid {
  std::string_view name;
  std::string_view communicator_sizes;
  std::string_view message_sizes;
};

// 2006, 5.1: "between two and 28 processes", 1 B to 384 KB, 1248 points = 26 x 48. The paper does
// not list the sizes: these hold every size it names (25 and 28 processes; 480, 1408, 1920, 2560,
// 6144 B).
constexpr std::string_view kGrigBytes =
    "1,2,4,8,16,32,64,128,256,384,480,512,640,768,896,1K,1152,1280,1408,1536,1664,1792,1920,2K,"
    "2560,3K,3584,4K,5K,6K,7K,8K,10K,12K,14K,16K,20K,24K,32K,40K,48K,64K,96K,128K,192K,256K,"
    "320K,384K";

constexpr NamedGrid kGrids[] = {
    {"grig", "2..26,28", kGrigBytes},
    // 2007, 4.1: the same range as 25 x 48 points.
    {"grig-2007", "2..24,26,28", kGrigBytes},
    // 2007, 4.1: 49 x 38, 4 B to 2 MB, measured with SKaMPI, whose sizes grow by sqrt 2 in whole
    // multiples of four bytes: 1448 B, on which the paper dwells, is one of them.
    {"frodo", "2..50",
     "4,8,12,16,24,32,44,64,92,128,180,256,364,512,724,1K,1448,2K,2896,4K,5792,8K,11584,16K,23172,"
     "32K,46340,64K,92680,128K,185364,256K,370728,512K,741456,1M,1482912,2M"},
    // 2006, table 1: the 221 cases of its alltoall tree are 13 communicator sizes (two up to 4, one
    // up to 8, five up to 56, five beyond) x 17 message sizes 1 B to 64 KB.
    {"nano", "2,4,8,16,24,32,48,56,64,80,96,112,128", "1..64K:x2"},
    // Not of the papers: a few nodes of many cores, whole nodes and halves, 12 x 21.
    {"modern", "2,4,6,8,12,16,24,32,48,64,96,128", "1..1M:x2"},
    // Not of the papers either: thousands of nodes of many cores, to what a minute simulates.
    {"cluster", "2,4,8,13,16,24,32,48,64,96,128,192,256", "8,64,512,4K,16K,64K,256K,1M"},
    // Small enough for a first try and for tests.
    {"tiny", "2..5,8", "1,64,1K,4K,32K"},
};

}  // namespace

std::vector<Instance> instances_of(const std::vector<Collective>& collectives, const Grid& grid) {
  const std::vector<std::uint64_t> none = {0};
  std::vector<Instance> instances;
  for (const std::uint64_t ranks : grid.communicator_sizes) {
    for (const Collective collective : collectives) {
      const bool has_message = message_unit(collective) != MessageUnit::kNone;
      for (const std::uint64_t message : has_message ? grid.message_sizes : none)
        instances.push_back({collective, ranks, message});
    }
  }
  return instances;
}

std::vector<std::string> grid_names() {
  std::vector<std::string> names;
  for (const NamedGrid& grid : kGrids) names.emplace_back(grid.name);
  return names;
}

Grid find_grid(std::string_view name) {
  for (const NamedGrid& grid : kGrids) {
    if (grid.name == name)
      return {parse_size_list(grid.communicator_sizes, {}, "grid"),
              parse_size_list(grid.message_sizes, {}, "grid")};
  }
  const std::vector<std::string> names = grid_names();
  const std::string hint = did_you_mean(name, names);
  throw UsageError(
      fmt::format("--grid: unknown grid '{}'{}", name,
                  hint.empty() ? fmt::format("; known are {}", join(names, ", ")) : hint));
}

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
  for (const CallCount& count : calls) {
    const Instance& instance = count.instance;
    if (std::ranges::count(collectives, instance.collective) == 0 || instance.communicator_size < 2)
      continue;
    communicator_sizes.insert(instance.communicator_size);
    const double octave = std::log2(static_cast<double>(instance.message_size) + 1);
    if (message_unit(instance.collective) != MessageUnit::kNone)
      by_octave[std::lround(kPerOctave * octave)][instance.message_size] += count.calls;
  }
  if (communicator_sizes.empty())
    throw Error(
        fmt::format("{}: has no calls of these collectives; name them with --collective", file));
  Grid grid{{communicator_sizes.begin(), communicator_sizes.end()}, {}};
  for (const auto& [octave, sizes] : by_octave) {
    grid.message_sizes.push_back(
        std::ranges::max_element(sizes, {}, [](const auto& entry) { return entry.second; })->first);
  }
  std::ranges::sort(grid.message_sizes);
  if (grid.message_sizes.empty()) grid.message_sizes = {0};  // barriers only
  return grid;
}

}  // namespace colltree::measure
