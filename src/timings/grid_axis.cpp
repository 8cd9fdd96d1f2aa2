// SPDX-License-Identifier: BSD-3-Clause
#include "timings/grid_axis.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/error.h"

namespace colltree {

std::uint64_t last_of_lower(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  // The floating-point root is off by a few units at most near 2^64; the loops make it exact.
  const double guess = std::sqrt(static_cast<double>(a)) * std::sqrt(static_cast<double>(b));
  auto root =
      static_cast<std::uint64_t>(std::clamp(guess, static_cast<double>(a), 0x1.fffffffffffffp63));
  while (static_cast<Wide>(root) * root > product) --root;
  while (root < b && static_cast<Wide>(root + 1) * (root + 1) <= product) ++root;
  return root;
}

double octaves(std::uint64_t size) { return size == 0 ? -1 : std::log2(static_cast<double>(size)); }

std::size_t GridAxis::index(const Instance& instance) const {
  if (is_collective) {
    const auto found = std::ranges::find(values, static_cast<std::uint64_t>(instance.collective));
    if (found == values.end()) {
      throw Error(fmt::format("the model does not decide for {}", name(instance.collective)));
    }
    return static_cast<std::size_t>(found - values.begin());
  }
  const std::uint64_t value = attribute_value(attribute, instance);
  return static_cast<std::size_t>(std::ranges::lower_bound(thresholds, value) - thresholds.begin());
}

std::size_t point_of(const std::vector<GridAxis>& axes, const Instance& instance) {
  std::size_t point = 0;
  for (const GridAxis& axis : axes) point = point * axis.size() + axis.index(instance);
  return point;
}

GridAxis make_axis(Attribute attribute, std::vector<std::uint64_t> values) {
  GridAxis axis{.attribute = attribute, .values = std::move(values)};
  validate(axis);
  for (std::size_t i = 0; i + 1 < axis.size(); ++i) {
    axis.thresholds.push_back(last_of_lower(axis.values[i], axis.values[i + 1]));
  }
  return axis;
}

GridAxis make_collective_axis(const std::vector<Collective>& collectives) {
  GridAxis axis{.is_collective = true};
  for (const Collective collective : collectives) {
    axis.values.push_back(static_cast<std::uint64_t>(collective));
  }
  std::ranges::sort(axis.values);
  validate(axis);
  return axis;
}

void validate(const GridAxis& axis) {
  const std::string_view what = axis.is_collective ? "collective" : name(axis.attribute);
  if (axis.values.empty()) throw Error(fmt::format("the grid has no {}", what));
  if (std::ranges::adjacent_find(axis.values, std::greater_equal()) != axis.values.end()) {
    throw Error(fmt::format("the grid's {} must ascend, each value once", what));
  }
}

}  // namespace colltree
