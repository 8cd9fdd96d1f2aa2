// SPDX-License-Identifier: BSD-3-Clause
#include "model/optimal/box_axis.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "base/error.h"

namespace colltree::optimal {

namespace {

// Appends the intervals of a list of indices to the axis. Those with a later first index come
// first, so that both sides of a split are there before the interval itself.
class Intervals {
 public:
  Intervals(BoxAxis& axis, std::vector<std::uint16_t> indices, std::uint16_t outside)
      : indices_(std::move(indices)), number_(indices_.size() * indices_.size(), kNoPart) {
    for (std::size_t i = indices_.size(); i-- > 0;) {
      for (std::size_t j = i; j < indices_.size(); ++j) append(axis, i, j, outside);
    }
  }
  // The part with the positions i to j of the list; kNoPart when that is empty.
  std::uint32_t number(std::size_t i, std::size_t j) const {
    return i <= j && j < indices_.size() ? number_[i * indices_.size() + j] : kNoPart;
  }
  // The part with the indices from `first` to `last` of the axis that the list holds.
  std::uint32_t within(std::uint16_t first, std::uint16_t last) const {
    const auto low = std::ranges::lower_bound(indices_, first) - indices_.begin();
    const auto high = std::ranges::upper_bound(indices_, last) - indices_.begin();
    if (low == high) return kNoPart;
    return number(static_cast<std::size_t>(low), static_cast<std::size_t>(high - 1));
  }

 private:
  void append(BoxAxis& axis, std::size_t i, std::size_t j, std::uint16_t outside) {
    Part part{.rest = i == j ? kNoPart : number(i, j - 1),
              .first = indices_[i],
              .last = indices_[j],
              .outside = static_cast<std::uint16_t>(outside + (i > 0) + (j + 1 < indices_.size())),
              .first_split = static_cast<std::uint32_t>(axis.splits.size()),
              .splits = static_cast<std::uint32_t>(j - i)};
    for (std::size_t m = i; m < j; ++m) axis.splits.push_back({number(i, m), number(m + 1, j)});
    number_[i * indices_.size() + j] = static_cast<std::uint32_t>(axis.parts.size());
    axis.parts.push_back(part);
  }

  std::vector<std::uint16_t> indices_;
  std::vector<std::uint32_t> number_;
};

std::vector<std::uint16_t> indices_where(const std::vector<bool>& flags, bool value) {
  std::vector<std::uint16_t> indices;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i] == value) indices.push_back(static_cast<std::uint16_t>(i));
  }
  return indices;
}

// Gives every interval that holds both classes the split between them.
void add_class_splits(BoxAxis& axis, std::size_t first_part, const Intervals& others,
                      const Intervals& powers) {
  std::vector<Split> splits(axis.splits.begin(),
                            axis.splits.begin() + axis.parts[first_part].first_split);
  for (std::size_t p = first_part; p < axis.parts.size(); ++p) {
    Part& part = axis.parts[p];
    const std::span<const Split> thresholds = axis.splits_of(p);
    const auto first_split = static_cast<std::uint32_t>(splits.size());
    splits.insert(splits.end(), thresholds.begin(), thresholds.end());
    const std::uint32_t low = others.within(part.first, part.last);
    const std::uint32_t high = powers.within(part.first, part.last);
    if (low != kNoPart && high != kNoPart) splits.push_back({low, high, TestKind::kPowerOfTwo});
    part.first_split = first_split;
    part.splits = static_cast<std::uint32_t>(splits.size()) - first_split;
  }
  axis.splits = std::move(splits);
}

std::vector<std::uint16_t> all_indices(std::size_t size) {
  return indices_where(std::vector<bool>(size), false);
}

void check_size(std::size_t size) {
  if (size == 0 || size > 0xFFFF) {
    throw Error(fmt::format("an axis of {} sizes cannot be divided", size));
  }
}

}  // namespace

std::vector<std::uint16_t> BoxAxis::indices_of(std::uint32_t part) const {
  std::vector<std::uint16_t> indices;
  for (; part != kNoPart; part = parts[part].rest) indices.push_back(parts[part].last);
  std::ranges::reverse(indices);
  return indices;
}

BoxAxis interval_axis(std::size_t size) {
  check_size(size);
  BoxAxis axis{.size = size};
  const Intervals intervals(axis, all_indices(size), 0);
  return axis;
}

BoxAxis interval_axis(const std::vector<bool>& is_power_of_two) {
  check_size(is_power_of_two.size());
  BoxAxis axis{.size = is_power_of_two.size()};
  const Intervals others(axis, indices_where(is_power_of_two, false), 1);
  const Intervals powers(axis, indices_where(is_power_of_two, true), 1);
  const std::size_t first_part = axis.parts.size();
  const Intervals intervals(axis, all_indices(axis.size), 0);
  add_class_splits(axis, first_part, others, powers);
  return axis;
}

BoxAxis subset_axis(std::size_t size) {
  check_size(size);
  if (size > kMostSubsetValues) {
    throw Error(
        fmt::format("one optimal tree over {} collectives is too many; at most {}: fit "
                    "them one by one or in smaller groups",
                    size, kMostSubsetValues));
  }
  BoxAxis axis{.size = size};
  const std::uint32_t whole = (1U << size) - 1;
  for (std::uint32_t set = 1; set <= whole; ++set) {
    const auto last = static_cast<std::uint16_t>(std::bit_width(set) - 1);
    const std::uint32_t rest = set & ~(1U << last);
    Part part{.rest = rest == 0 ? kNoPart : rest - 1,
              .first = static_cast<std::uint16_t>(std::countr_zero(set)),
              .last = last,
              .outside = set != whole,
              .first_split = static_cast<std::uint32_t>(axis.splits.size())};
    // The side with the lowest member is `low`: each division once.
    for (std::uint32_t low = (set - 1) & set; low != 0; low = (low - 1) & set) {
      if ((low & (1U << part.first)) == 0) continue;
      axis.splits.push_back({low - 1, (set & ~low) - 1, TestKind::kSubset});
    }
    part.splits = static_cast<std::uint32_t>(axis.splits.size()) - part.first_split;
    axis.parts.push_back(part);
  }
  return axis;
}

BoxSpace::BoxSpace(std::vector<BoxAxis> axes) : axes_(std::move(axes)), strides_(axes_.size()) {
  double boxes = 1;
  for (const BoxAxis& axis : axes_) boxes *= static_cast<double>(axis.parts.size());
  if (boxes > 0x1p40) {
    throw Error(
        fmt::format("the grid has {:.1e} rectangles, which is too many to search; fit on "
                    "fewer sizes, or one collective or placement at a time",
                    boxes));
  }
  std::size_t stride = 1;
  for (std::size_t axis = axes_.size(); axis-- > 0;) {
    strides_[axis] = stride;
    stride *= axes_[axis].parts.size();
  }
}

std::size_t BoxSpace::leaves_outside(std::size_t box) const {
  std::size_t leaves = 0;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    leaves += axes_[axis].parts[part(box, axis)].outside;
  }
  return leaves;
}

std::size_t BoxSpace::cells() const {
  std::size_t cells = 1;
  for (const BoxAxis& axis : axes_) cells *= axis.size;
  return cells;
}

std::vector<std::size_t> BoxSpace::cells_of(std::size_t box) const {
  std::vector<std::size_t> cells = {0};
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    std::vector<std::size_t> longer;
    for (const std::size_t cell : cells) {
      for (const std::uint16_t index : axes_[axis].indices_of(part(box, axis))) {
        longer.push_back(cell * axes_[axis].size + index);
      }
    }
    cells = std::move(longer);
  }
  return cells;
}

double BoxSpace::work() const {
  double pairs = 0;
  for (const BoxAxis& axis : axes_) {
    pairs += static_cast<double>(axis.splits.size()) / static_cast<double>(axis.parts.size());
  }
  return pairs * static_cast<double>(boxes());
}

}  // namespace colltree::optimal
