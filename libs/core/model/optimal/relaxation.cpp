// SPDX-License-Identifier: BSD-3-Clause
#include "model/optimal/relaxation.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"

namespace colltree::optimal {

namespace {

std::string megabytes(double bytes) {
  const double size = bytes / (1 << 20);
  return size < 10 ? fmt::format("{:.2g}", size) : fmt::format("{:.0f}", size);
}

}  // namespace

Relaxation::Relaxation(const CostCube& cube, const BoxSpace& space, const SearchLimits& limits)
    : cube_(cube), space_(space) {
  const double bytes = 16.0 * static_cast<double>(space.boxes());
  if (bytes > static_cast<double>(limits.memory_bytes)) {
    throw Error(fmt::format(
        "the grid has {} rectangles, which would take {} MB of the {} MB allowed; fit on "
        "fewer sizes, or one collective or placement at a time, or raise --memory-limit",
        space.boxes(), megabytes(bytes), megabytes(static_cast<double>(limits.memory_bytes))));
  }
  leaf_.reserve(space.boxes());
  LeafCosts costs(cube, space, Combine::kSum);
  for (std::uint32_t part = 0; part < space.rows(); ++part) {
    const std::span<const double> row = costs.row(part);
    leaf_.insert(leaf_.end(), row.begin(), row.end());
  }
  value_.resize(space.boxes());
}

void Relaxation::add_row_splits(std::uint32_t part) {
  double* value = value_.data() + part * space_.inner();
  for (const Split& split : space_.axes()[0].splits_of(part)) {
    const double* low = value_.data() + split.low * space_.inner();
    const double* high = value_.data() + split.high * space_.inner();
    for (std::size_t i = 0; i < space_.inner(); ++i) {
      value[i] = std::min(value[i], low[i] + high[i]);
    }
  }
}

void Relaxation::add_inner_splits(std::size_t box) {
  double best = value_[box];
  for (std::size_t axis = 1; axis < space_.axes().size(); ++axis) {
    const std::uint32_t part = space_.part(box, axis);
    const std::size_t stride = space_.stride(axis);
    const double* base = value_.data() + (box - part * stride);
    for (const Split& split : space_.axes()[axis].splits_of(part)) {
      best = std::min(best, base[split.low * stride] + base[split.high * stride]);
    }
  }
  value_[box] = best;
}

double Relaxation::solve(double price) {
  price_ = price;
  for (std::size_t box = 0; box < leaf_.size(); ++box) value_[box] = leaf_[box] + price;
  for (std::uint32_t part = 0; part < space_.rows(); ++part) {
    add_row_splits(part);
    const std::size_t first = part * space_.inner();
    for (std::size_t inner = 0; inner < space_.inner(); ++inner) add_inner_splits(first + inner);
  }
  return value_[space_.root()];
}

bool Relaxation::divide_leaf(CellTree& tree, std::size_t leaf) const {
  const std::size_t box = tree[leaf].box;
  if (leaf_[box] + price_ == value_[box]) return false;
  for (std::uint32_t axis = 0; axis < space_.axes().size(); ++axis) {
    for (const Split& split : space_.axes()[axis].splits_of(space_.part(box, axis))) {
      const double sum =
          value_[space_.with(box, axis, split.low)] + value_[space_.with(box, axis, split.high)];
      if (sum != value_[box]) continue;
      divide(tree, leaf, space_, axis, split);
      return true;
    }
  }
  return false;
}

CellTree Relaxation::tree() const {
  CellTree tree = {{.box = space_.root()}};
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (!divide_leaf(tree, i))
      tree[i].method =
          static_cast<std::uint16_t>(best_leaf(cube_, space_, Combine::kSum, tree[i].box));
  }
  return tree;
}

}  // namespace colltree::optimal
