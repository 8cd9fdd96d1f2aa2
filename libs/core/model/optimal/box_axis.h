// SPDX-License-Identifier: BSD-3-Clause
// One axis of the grid as trees see it: the parts that a node can hold, and the tests that divide a
// part in two. The possible tests are data, so the dynamic programme (frontier_table.h) knows
// nothing of sizes, powers of two or collectives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/cell_tree.h"

namespace colltree::optimal {

inline constexpr std::uint32_t kNoPart = 0xFFFFFFFF;

using model::TestKind;

struct Split {
  std::uint32_t low = kNoPart;
  std::uint32_t high = kNoPart;
  TestKind test = TestKind::kThreshold;
};

struct Part {
  std::uint32_t rest = kNoPart;  // the part without `last`; kNoPart: nothing else
  std::uint16_t first = 0;       // smallest and greatest index of the axis in this part
  std::uint16_t last = 0;
  std::uint16_t outside = 0;  // tests on this axis that at least lie between the root and this part
  std::uint32_t first_split = 0;
  std::uint32_t splits = 0;
};

// Invariant: a part comes after its `rest` and after both sides of each of its splits; the last
// part is the whole axis.
struct BoxAxis {
  std::size_t size = 0;  // indices
  std::vector<Part> parts;
  std::vector<Split> splits;

  std::span<const Split> splits_of(std::size_t part) const {
    return std::span(splits).subspan(parts[part].first_split, parts[part].splits);
  }
  // Ascending.
  std::vector<std::uint16_t> indices_of(std::uint32_t part) const;
};

// Intervals and thresholds: n (n + 1) / 2 parts.
BoxAxis interval_axis(std::size_t size);
// Adds the test "is a power of two", after which a part holds only one of the two classes.
BoxAxis interval_axis(const std::vector<bool>& is_power_of_two);
// Every subset of a few values, divided in every way: 2^n - 1 parts. Throws Error above
// kMostSubsetValues.
BoxAxis subset_axis(std::size_t size);
inline constexpr std::size_t kMostSubsetValues = 8;

// All boxes: one part of each axis. The box of the parts p0, p1, ... has the number
// (p0 * parts of axis 1 + p1) * ...; both sides of every split have smaller numbers.
class BoxSpace {
 public:
  // Throws Error when the number of boxes does not fit.
  explicit BoxSpace(std::vector<BoxAxis> axes);

  const std::vector<BoxAxis>& axes() const { return axes_; }
  std::size_t rows() const { return axes_[0].parts.size(); }  // parts of the first axis
  std::size_t inner() const { return strides_[0]; }           // boxes of a row
  std::size_t boxes() const { return rows() * inner(); }
  std::size_t root() const { return boxes() - 1; }
  std::size_t stride(std::size_t axis) const { return strides_[axis]; }
  std::uint32_t part(std::size_t box, std::size_t axis) const {
    return static_cast<std::uint32_t>(box / strides_[axis] % axes_[axis].parts.size());
  }
  // The box with its part of the axis replaced.
  std::size_t with(std::size_t box, std::size_t axis, std::uint32_t part) const {
    return box + (std::size_t{part} - this->part(box, axis)) * strides_[axis];
  }
  // Leaves that a tree over the whole grid has at least outside this box.
  std::size_t leaves_outside(std::size_t box) const;
  std::size_t cells() const;
  // Numbers of the cells in the box, the last axis varying fastest.
  std::vector<std::size_t> cells_of(std::size_t box) const;
  // Pairs of boxes that the dynamic programme looks at.
  double work() const;

 private:
  std::vector<BoxAxis> axes_;
  std::vector<std::size_t> strides_;
};

}  // namespace colltree::optimal
