// SPDX-License-Identifier: BSD-3-Clause
#include "model/optimal/cost_cube.h"

#include <algorithm>

namespace colltree::optimal {

CostCube least_costs(const CostCube& cube) {
  CostCube least{.cells = cube.cells, .methods = 1};
  for (std::size_t cell = 0; cell < cube.cells; ++cell) {
    double best = kNotAllowed;
    for (std::size_t m = 0; m < cube.methods; ++m) best = std::min(best, cube.cost_of(cell, m));
    least.cost.push_back(best);
  }
  return least;
}

std::size_t best_leaf(const CostCube& cube, const BoxSpace& space, Combine how, std::size_t box) {
  std::vector<double> total(cube.methods);
  for (const std::size_t cell : space.cells_of(box)) {
    for (std::size_t m = 0; m < cube.methods; ++m) {
      total[m] = combine(how, total[m], cube.cost_of(cell, m));
    }
  }
  const auto best = std::ranges::min_element(total);
  return *best == kNotAllowed ? cube.methods : static_cast<std::size_t>(best - total.begin());
}

LeafCosts::LeafCosts(const CostCube& cube, const BoxSpace& space, Combine how)
    : cube_(cube), space_(space), how_(how), row_(space.inner()) {
  std::size_t slab = cube.methods;
  slab_.resize(space.axes().size());
  parts_.resize(space.axes().size());
  for (std::size_t axis = space.axes().size(); axis-- > 0;) {
    slab_[axis] = slab;
    parts_[axis].resize(slab * (axis == 0 ? 1 : space.axes()[axis].parts.size()));
    slab *= space.axes()[axis].size;
  }
}

void LeafCosts::add(double* to, const double* a, const double* b, std::size_t count) const {
  if (how_ == Combine::kSum) {
    for (std::size_t i = 0; i < count; ++i) to[i] = a[i] + b[i];
  } else {
    for (std::size_t i = 0; i < count; ++i) to[i] = std::max(a[i], b[i]);
  }
}

std::span<const double> LeafCosts::row(std::uint32_t part) {
  const BoxAxis& axis = space_.axes()[0];
  std::vector<double>& sum = parts_[0];
  std::ranges::fill(sum, 0.0);
  for (; part != kNoPart; part = axis.parts[part].rest) {
    add(sum.data(), sum.data(), cube_.cost.data() + axis.parts[part].last * slab_[0], slab_[0]);
  }
  next_ = 0;
  expand(1, sum.data());
  return row_;
}

// `slab` holds the costs of one part of each earlier axis, over all cells of the later axes.
void LeafCosts::expand(std::size_t axis, const double* slab) {
  if (axis == space_.axes().size()) {
    row_[next_++] = *std::min_element(slab, slab + cube_.methods);
    return;
  }
  const std::vector<Part>& parts = space_.axes()[axis].parts;
  const std::size_t size = slab_[axis];
  for (std::size_t p = 0; p < parts.size(); ++p) {
    double* sum = parts_[axis].data() + p * size;
    const double* of_last = slab + parts[p].last * size;
    if (parts[p].rest == kNoPart) {
      std::copy_n(of_last, size, sum);
    } else {
      add(sum, of_last, parts_[axis].data() + parts[p].rest * size, size);
    }
    expand(axis + 1, sum);
  }
}

void divide(CellTree& tree, std::size_t leaf, const BoxSpace& space, std::uint32_t axis,
            const Split& split) {
  CellNode& node = tree[leaf];
  node.axis = axis;
  node.test = split.test;
  // The number of a subset's part is one less than the bits of its indices.
  node.cut =
      split.test == TestKind::kSubset ? split.low + 1 : space.axes()[axis].parts[split.high].first;
  node.low = static_cast<std::uint32_t>(tree.size());
  node.high = node.low + 1;
  const std::size_t box = node.box;
  tree.push_back({.box = space.with(box, axis, split.low)});
  tree.push_back({.box = space.with(box, axis, split.high)});
}

std::size_t leaves_of(const CellTree& tree) {
  return static_cast<std::size_t>(std::ranges::count_if(tree, &CellNode::is_leaf));
}

CellTree single_leaf(const CostCube& cube, const BoxSpace& space, Combine how) {
  const std::size_t method = best_leaf(cube, space, how, space.root());
  if (method == cube.methods) return {};
  return {{.method = static_cast<std::uint16_t>(method), .box = space.root()}};
}

std::vector<std::size_t> chosen_methods(const CellTree& tree, const BoxSpace& space) {
  std::vector<std::size_t> chosen(space.cells());
  for (const CellNode& node : tree) {
    if (!node.is_leaf()) continue;
    for (const std::size_t cell : space.cells_of(node.box)) chosen[cell] = node.method;
  }
  return chosen;
}

std::vector<double> cell_costs(const CellTree& tree, const BoxSpace& space, const CostCube& cube) {
  std::vector<double> costs;
  for (const std::size_t method : chosen_methods(tree, space))
    costs.push_back(cube.cost_of(costs.size(), method));
  return costs;
}

double total(const std::vector<double>& cell_costs, Combine how) {
  double total = 0;
  for (const double cost : cell_costs) total = combine(how, total, cost);
  return total;
}

}  // namespace colltree::optimal
