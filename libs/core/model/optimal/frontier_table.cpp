// SPDX-License-Identifier: BSD-3-Clause
#include "model/optimal/frontier_table.h"

#include <algorithm>

namespace colltree::optimal {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 17;  // doubles

// Fewer holes than this share of the cells save less than it takes to look for them.
constexpr double kFewHoles = 0.1;

// A "method" that costs 1 in each cell where any method costs anything; empty if there are few
// others.
CostCube counting(const CostCube& cube) {
  CostCube counts{.cells = cube.cells, .methods = 1};
  std::size_t holes = 0;
  for (std::size_t cell = 0; cell < cube.cells; ++cell) {
    const auto costs = std::span(cube.cost).subspan(cell * cube.methods, cube.methods);
    const bool hole = std::ranges::all_of(costs, [](double cost) { return cost == 0; });
    holes += hole ? 1 : 0;
    counts.cost.push_back(hole ? 0 : 1);
  }
  const bool few = static_cast<double>(holes) <= kFewHoles * static_cast<double>(cube.cells);
  return few ? CostCube() : counts;
}

}  // namespace

FrontierTable::FrontierTable(const CostCube& cube, const BoxSpace& space, Combine how,
                             std::size_t most_leaves)
    : cube_(cube), space_(space), how_(how), most_leaves_(most_leaves), merger_(how) {}

std::size_t FrontierTable::memory_bytes() const {
  return space_.boxes() * sizeof(Frontier) + cells_.size() * sizeof(cells_[0]) +
         chunks_.size() * kChunk * sizeof(double) +
         space_.inner() * (row_.stride * sizeof(double) + 4);
}

bool FrontierTable::must_stop(const SearchLimits& limits) const {
  return limits.expired() || memory_bytes() > limits.memory_bytes;
}

bool FrontierTable::fill(const SearchLimits& limits) {
  row_.stride = most_leaves_ + Merger::kSlack;
  if (must_stop(limits)) return false;
  table_.assign(space_.boxes(), {});
  chunks_.clear();
  chunk_used_ = kChunk;
  const CostCube count = counting(cube_);
  cells_.assign(count.cells == 0 ? 0 : space_.boxes(), 0);
  if (must_stop(limits)) return false;
  std::optional<LeafCosts> counts;
  if (!cells_.empty()) counts.emplace(count, space_, Combine::kSum);
  row_.values.resize(space_.inner() * row_.stride);
  row_.limit.resize(space_.inner());
  if (counts) row_.same.resize(space_.inner());
  LeafCosts leaf_costs(cube_, space_, how_);
  const CostCube least = least_costs(cube_);
  LeafCosts floors(least, space_, how_);
  for (std::uint32_t part = 0; part < space_.rows(); ++part) {
    row_.floor = floors.row(part);
    begin_row(part, leaf_costs.row(part));
    if (counts) count_cells(part, *counts);
    // One split at a time along the whole row, so that its two sides are read from front to end.
    const Split* before = nullptr;
    for (const Split& split : space_.axes()[0].splits_of(part)) {
      if (must_stop(limits)) return false;
      split_row(split, before);
      before = &split;
    }
    for (std::size_t inner = 0; inner < space_.inner(); ++inner) {
      const std::size_t box = part * space_.inner() + inner;
      if (counts && row_.same[inner] != box) {
        table_[box] = table_[row_.same[inner]];
        continue;
      }
      split_inside(box);
      store(box);
    }
    if (must_stop(limits)) return false;
  }
  return true;
}

void FrontierTable::begin_row(std::uint32_t part, std::span<const double> leaf_costs) {
  std::ranges::fill(row_.values, kNotAllowed);
  for (std::size_t inner = 0; inner < space_.inner(); ++inner) {
    const std::size_t outside = space_.leaves_outside(part * space_.inner() + inner);
    row_.at(inner)[0] = leaf_costs[inner];
    const std::size_t useful = outside < most_leaves_ ? most_leaves_ - outside : 0;
    const bool least = leaf_costs[inner] == row_.floor[inner];
    row_.limit[inner] =
        static_cast<std::uint32_t>(least ? std::min<std::size_t>(useful, 1) : useful);
  }
}

void FrontierTable::merge_into(std::size_t inner, std::size_t low, std::size_t high) {
  std::uint32_t& limit = row_.limit[inner];
  if (limit < 2) return;
  const std::span<const double> a = frontier(low);
  const std::span<const double> b = frontier(high);
  if (a.empty() || b.empty()) return;
  double* out = row_.at(inner);
  merger_.merge(a, b, out, limit);
  const std::size_t both = std::min<std::size_t>(a.size() + b.size(), limit);
  if (out[both - 1] != row_.floor[inner]) return;
  // No tree is cheaper than this; more leaves than it has are of no use.
  limit = static_cast<std::uint32_t>(both);
  while (limit > 1 && out[limit - 2] == row_.floor[inner]) --limit;
}

void FrontierTable::count_cells(std::uint32_t part, LeafCosts& counts) {
  const std::span<const double> row = counts.row(part);
  for (std::size_t inner = 0; inner < space_.inner(); ++inner) {
    cells_[part * space_.inner() + inner] = static_cast<std::uint32_t>(row[inner]);
  }
  // A box whose frontier will be looked up needs no splits.
  for (std::size_t inner = 0; inner < space_.inner(); ++inner) {
    const std::size_t box = part * space_.inner() + inner;
    row_.same[inner] = same_without_holes(box);
    if (row_.same[inner] != box) row_.limit[inner] = 0;
  }
}

// The part of the box, beyond a first or last split along this axis, that holds all its cells; none
// if there are cells on both sides. A part with fewer leaves left to it may lack some of its
// frontier.
std::optional<std::size_t> FrontierTable::same_along(std::size_t box, std::uint32_t axis) const {
  const std::span<const Split> splits = space_.axes()[axis].splits_of(space_.part(box, axis));
  if (splits.empty()) return std::nullopt;
  for (const std::uint32_t part : {splits.front().high, splits.back().low}) {
    const std::size_t smaller = space_.with(box, axis, part);
    if (cells_[smaller] == cells_[box] &&
        space_.leaves_outside(smaller) == space_.leaves_outside(box)) {
      return smaller;
    }
  }
  return std::nullopt;
}

std::size_t FrontierTable::same_without_holes(std::size_t box) const {
  for (std::uint32_t axis = 0; axis < space_.axes().size(); ++axis) {
    if (const auto same = same_along(box, axis)) return *same;
  }
  return box;
}

void FrontierTable::split_row(const Split& split, const Split* before) {
  const std::size_t low = split.low * space_.inner();
  const std::size_t high = split.high * space_.inner();
  for (std::size_t inner = 0; inner < space_.inner(); ++inner) {
    if (before != nullptr && !cells_.empty() &&
        same_frontiers(low + inner, before->low * space_.inner() + inner) &&
        same_frontiers(high + inner, before->high * space_.inner() + inner)) {
      continue;
    }
    merge_into(inner, low + inner, high + inner);
  }
}

void FrontierTable::split_inside(std::size_t box) {
  const std::size_t inner = box % space_.inner();
  for (std::size_t axis = 1; axis < space_.axes().size(); ++axis) {
    const std::uint32_t part = space_.part(box, axis);
    const std::size_t stride = space_.stride(axis);
    const std::size_t base = box - part * stride;
    std::size_t low_before = box;
    std::size_t high_before = box;
    for (const Split& split : space_.axes()[axis].splits_of(part)) {
      const std::size_t low = base + split.low * stride;
      const std::size_t high = base + split.high * stride;
      const bool again = same_frontiers(low, low_before) && same_frontiers(high, high_before);
      if (!again) merge_into(inner, low, high);
      low_before = low;
      high_before = high;
    }
  }
}

double* FrontierTable::allocate(std::size_t count) {
  if (chunk_used_ + count + Merger::kPad > kChunk) {
    chunks_.push_back(std::make_unique_for_overwrite<double[]>(kChunk));
    std::fill_n(chunks_.back().get(), Merger::kPad, kNotAllowed);
    chunk_used_ = Merger::kPad;
  }
  double* place = chunks_.back().get() + chunk_used_;
  std::fill_n(place + count, Merger::kPad, kNotAllowed);
  chunk_used_ += count + Merger::kPad;
  return place;
}

void FrontierTable::store(std::size_t box) {
  const std::size_t inner = box % space_.inner();
  double* values = row_.at(inner);
  std::size_t length = row_.limit[inner];
  if (length == 0) return;
  for (std::size_t i = 1; i < length; ++i) values[i] = std::min(values[i], values[i - 1]);
  while (length > 1 && values[length - 1] == values[length - 2]) --length;
  double* place = allocate(length);
  std::copy_n(values, length, place);
  table_[box] = {place, static_cast<std::uint32_t>(length)};
}

void FrontierTable::consider(std::size_t box, std::uint32_t axis, const Split& split,
                             std::size_t leaves, Choice& best) const {
  const std::span<const double> low = frontier(space_.with(box, axis, split.low));
  const std::span<const double> high = frontier(space_.with(box, axis, split.high));
  const double wanted = frontier(box)[leaves - 1];
  for (std::size_t i = 1; i < leaves && i <= low.size(); ++i) {
    const std::size_t j = leaves - i;
    if (j > high.size() || combine(how_, low[i - 1], high[j - 1]) != wanted) continue;
    const bool found = best.low_leaves != 0;
    if (found && std::max(best.low_leaves, best.high_leaves) <= std::max(i, j)) continue;
    best = {axis, split, i, j};
  }
}

FrontierTable::Choice FrontierTable::choose(std::size_t box, std::size_t leaves) const {
  Choice best;
  for (std::uint32_t axis = 0; axis < space_.axes().size(); ++axis) {
    for (const Split& split : space_.axes()[axis].splits_of(space_.part(box, axis))) {
      consider(box, axis, split, leaves, best);
    }
  }
  return best;
}

CellTree FrontierTable::tree(std::size_t leaves) const {
  struct Open {
    std::uint32_t node;
    std::size_t leaves;
  };
  CellTree tree = {{.box = space_.root()}};
  std::vector<Open> open = {{0, leaves}};
  while (!open.empty()) {
    Open next = open.back();
    open.pop_back();
    const std::size_t box = tree[next.node].box;
    const std::span<const double> values = frontier(box);
    std::size_t fewest = std::min(next.leaves, values.size());
    while (fewest > 1 && values[fewest - 2] == values[fewest - 1]) --fewest;
    if (fewest == 1) {
      tree[next.node].method = static_cast<std::uint16_t>(best_leaf(cube_, space_, how_, box));
      continue;
    }
    const Choice choice = choose(box, fewest);
    divide(tree, next.node, space_, choice.axis, choice.split);
    open.push_back({tree[next.node].high, choice.high_leaves});
    open.push_back({tree[next.node].low, choice.low_leaves});
  }
  return tree;
}

}  // namespace colltree::optimal
