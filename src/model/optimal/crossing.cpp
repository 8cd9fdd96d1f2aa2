// SPDX-License-Identifier: BSD-3-Clause
#include "model/optimal/crossing.h"

#include <algorithm>
#include <cmath>

namespace colltree::optimal {

namespace {

struct Border {
  std::size_t axis = 0;
  std::size_t low_index = 0;   // of the last size of the low side
  std::size_t high_index = 0;  // of the first of the high side
};

struct Difference {  // of the logarithms of the times, low side's method - high side's
  double at_low = 0;
  double at_high = 0;
  // Weight of the points where only this side's method has a time on both sides.
  double only_low = 0;
  double only_high = 0;
};

Difference sum_along_border(const MeasuredGrid& grid, const BoxSpace& space,
                            const std::vector<std::size_t>& chosen, const BoxNode& node,
                            const Border& border) {
  const std::size_t stride = grid.stride(border.axis);
  const std::size_t step = (border.high_index - border.low_index) * stride;
  Difference sum;
  for (const std::size_t low : space.cells_of(node.box)) {
    if (low / stride % space.axes()[border.axis].size != border.low_index) continue;
    const std::size_t high = low + step;
    const auto difference = [&](std::size_t cell) {
      return std::log(grid.time_us[grid.at(cell, chosen[low])] /
                      grid.time_us[grid.at(cell, chosen[high])]);
    };
    const Difference one = {difference(low), difference(high)};
    const double weight = grid.weight[low] + grid.weight[high];
    if (std::isnan(one.at_low) && !std::isnan(one.at_high)) sum.only_low += weight;
    if (std::isnan(one.at_high) && !std::isnan(one.at_low)) sum.only_high += weight;
    if (std::isnan(one.at_low) || std::isnan(one.at_high)) continue;
    sum.at_low += weight * one.at_low;
    sum.at_high += weight * one.at_high;
  }
  return sum;
}

std::uint64_t between(std::uint64_t a, std::uint64_t b, const Difference& sum) {
  const bool nothing = sum.at_low == 0 && sum.at_high == 0;
  if (nothing || (sum.at_low > 0 && sum.at_high < 0)) return last_of_lower(a, b);
  if (sum.at_low >= 0) return a;  // the high side's methods are faster all the way
  if (sum.at_high <= 0) return b - 1;
  const double share = sum.at_low / (sum.at_low - sum.at_high);
  // A crossing at an integer, to the rounding of the logarithms, belongs to the low side.
  const double size = std::exp2(octaves(a) + share * (octaves(b) - octaves(a))) * (1 + 1e-12);
  if (!(size > static_cast<double>(a))) return a;
  return size >= static_cast<double>(b - 1) ? b - 1 : static_cast<std::uint64_t>(size);
}

}  // namespace

std::vector<std::size_t> chosen_methods(const BoxTree& tree, const BoxSpace& space) {
  std::vector<std::size_t> chosen(space.cells());
  for (const BoxNode& node : tree) {
    if (!node.is_leaf()) continue;
    for (const std::size_t cell : space.cells_of(node.box)) chosen[cell] = node.method;
  }
  return chosen;
}

std::uint64_t threshold_at_crossing(const MeasuredGrid& grid, const BoxSpace& space,
                                    const std::vector<std::size_t>& chosen, const BoxNode& node) {
  const std::vector<Part>& parts = space.axes()[node.axis].parts;
  const Border border{node.axis, parts[node.split.low].last, parts[node.split.high].first};
  const std::vector<std::uint64_t>& values = grid.axes[node.axis].values;
  const std::uint64_t low = values[border.low_index];
  const std::uint64_t high = values[border.high_index];
  const Difference sum = sum_along_border(grid, space, chosen, node, border);
  if (grid.proven && sum.only_high > sum.only_low) return low;
  if (grid.proven && sum.only_low > sum.only_high) return high - 1;
  return between(low, high, sum);
}

}  // namespace colltree::optimal
