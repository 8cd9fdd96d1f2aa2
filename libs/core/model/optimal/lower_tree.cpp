// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "model/optimal/cost_cube.h"
#include "model/optimal/measured_grid.h"

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
};

Difference sum_along_border(const MeasuredGrid& grid, const BoxSpace& space,
                            const std::vector<std::size_t>& chosen, std::size_t box,
                            const Border& border) {
  const std::size_t stride = grid.stride(border.axis);
  const std::size_t step = (border.high_index - border.low_index) * stride;
  Difference sum;
  for (const std::size_t low : space.cells_of(box)) {
    if (low / stride % space.axes()[border.axis].size != border.low_index) continue;
    const std::size_t high = low + step;
    const auto difference = [&](std::size_t cell) {
      return std::log(grid.time_us[grid.value_index(cell, chosen[low])] /
                      grid.time_us[grid.value_index(cell, chosen[high])]);
    };
    const Difference at_both = {difference(low), difference(high)};
    const double weight = grid.weight[low] + grid.weight[high];
    if (std::isnan(at_both.at_low) || std::isnan(at_both.at_high)) continue;
    sum.at_low += weight * at_both.at_low;
    sum.at_high += weight * at_both.at_high;
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

// The threshold of one test. Any integer between two measured sizes gives the same decisions on the
// measured points, but not on the sizes that programs use. Between the last measured size a of the
// low side and the first b of the high side the time of every method is interpolated linearly in
// log-log space. At each point along the border the method of the low side meets that of the high
// side; the threshold is the last integer where those of the low side are not slower, by the
// weighted mean of log(low / high). It is at least a and below b. If the times say nothing (same
// method on both sides, holes), it is the middle in log space, as for the other trees.
std::uint64_t threshold_at_crossing(const MeasuredGrid& grid, const BoxSpace& space,
                                    const std::vector<std::size_t>& chosen, const CellTree& tree,
                                    const CellNode& test) {
  const auto part = [&](std::uint32_t side) {
    return space.axes()[test.axis].parts[space.part(tree[side].box, test.axis)];
  };
  const Border border{test.axis, part(test.low).last, part(test.high).first};
  const std::vector<std::uint64_t>& values = grid.axes[test.axis].values;
  return between(values[border.low_index], values[border.high_index],
                 sum_along_border(grid, space, chosen, test.box, border));
}

}  // namespace

model::RuleTree lower(const CellTree& tree, const MeasuredGrid& grid, const BoxSpace& space,
                      const std::vector<Collective>& collectives) {
  const std::vector<std::size_t> chosen = chosen_methods(tree, space);
  return model::lower(tree, grid.axes, grid.methods, collectives, [&](const CellNode& test) {
    return threshold_at_crossing(grid, space, chosen, tree, test);
  });
}

}  // namespace colltree::optimal
