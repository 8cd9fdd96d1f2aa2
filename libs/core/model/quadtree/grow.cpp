// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <tuple>

#include "base/error.h"
#include "model/quadtree/grid_tree.h"

namespace colltree::model {

std::uint16_t Tally::majority() const {
  std::size_t best = 0;
  for (std::size_t i = 1; i < weight_.size(); ++i) {
    if (std::tie(weight_[i], points_[i]) > std::tie(weight_[best], points_[best])) best = i;
  }
  return static_cast<std::uint16_t>(best);
}

bool Tally::agrees(double accuracy_threshold) const {
  double others = 0;
  const std::uint16_t best = majority();
  for (std::size_t i = 0; i < weight_.size(); ++i) others += i == best ? 0 : weight_[i];
  // Not `weight >= threshold * total`: at a threshold of 1 only the exact zero may pass.
  constexpr double kRounding = 1e-12;
  const double total = others + weight_[best];
  return others <= (1 - accuracy_threshold + (accuracy_threshold < 1 ? kRounding : 0)) * total;
}

double Tally::disorder() const {
  const double total = std::accumulate(weight_.begin(), weight_.end(), 0.0);
  double sum = 0;
  for (const double weight : weight_) {
    if (weight > 0) sum -= weight * std::log(weight / total);
  }
  return sum;
}

namespace {

// One side of the square: place -> grid index. The sides of a kdtree have a place for each index.
struct Side {
  std::vector<std::uint32_t> index;
  std::vector<std::uint32_t> first_place;  // by grid index; the place that decides for it
};

Side make_side(std::size_t values, std::size_t places, Reshape reshape) {
  Side side;
  side.first_place.assign(values, UINT32_MAX);
  for (std::size_t place = 0; place < places; ++place) {
    const std::size_t index =
        reshape == Reshape::kEven ? place * values / places : std::min(place, values - 1);
    side.index.push_back(static_cast<std::uint32_t>(index));
    if (side.first_place[index] == UINT32_MAX) {
      side.first_place[index] = static_cast<std::uint32_t>(place);
    }
  }
  return side;
}

// A grid index and how many places of the block show it.
struct Run {
  std::uint32_t index;
  double copies;
};

struct Block {
  std::array<std::uint32_t, kMostAxes> begin = {};
  std::array<std::uint32_t, kMostAxes> extent = {1, 1, 1};

  // The low part and the high part, which begins at `place`.
  std::pair<Block, Block> cut(std::size_t axis, std::uint32_t place) const {
    std::pair<Block, Block> parts = {*this, *this};
    parts.first.extent[axis] = place - begin[axis];
    parts.second.begin[axis] = place;
    parts.second.extent[axis] -= parts.first.extent[axis];
    return parts;
  }
};

struct Cut {
  std::size_t axis = kMostAxes;  // kMostAxes: none is possible
  std::uint32_t place = 0;
  double disorder = 0;
  std::uint32_t off_middle = 0;
};

class Growth {
 public:
  Growth(const LabelGrid& grid, const GridTreeOptions& options) : grid_(grid), options_(options) {
    const std::size_t square = std::bit_ceil(std::max(grid.axes[0].size(), grid.axes[1].size()));
    for (std::size_t axis = 0; axis < grid.axes.size(); ++axis) {
      // The third axis has few values: its own power of two separates them in the first levels,
      // where a full cube would do so in the last.
      const std::size_t values = grid.axes[axis].size();
      const std::size_t places = is_kdtree() ? values : axis < 2 ? square : std::bit_ceil(values);
      sides_.push_back(make_side(values, places, axis < 2 ? options.reshape : Reshape::kEven));
      whole_.extent[axis] = static_cast<std::uint32_t>(places);
    }
  }

  std::pair<CellTree, TreeShape> run() {
    fill(whole_, 0);
    shape_.mean_depth /= static_cast<double>(shape_.leaves);
    return {std::move(tree_), shape_};
  }

 private:
  bool is_kdtree() const { return options_.reshape == Reshape::kNone; }

  std::vector<Run> runs(const Block& block, std::size_t axis) const {
    if (axis >= sides_.size()) return {{0, 1}};
    std::vector<Run> result;
    for (std::uint32_t place = 0; place < block.extent[axis]; ++place) {
      const std::uint32_t index = sides_[axis].index[block.begin[axis] + place];
      if (result.empty() || result.back().index != index) result.push_back({index, 0});
      ++result.back().copies;
    }
    return result;
  }

  Tally tally(const Block& block) const {
    Tally result(grid_.methods.size());
    const std::vector<Run> rows = runs(block, 0);
    const std::vector<Run> columns = runs(block, 1);
    const std::vector<Run> layers = runs(block, 2);
    const std::size_t depth = sides_.size() > 2 ? grid_.axes[2].size() : 1;
    for (const Run& row : rows) {
      for (const Run& column : columns) {
        for (const Run& layer : layers) {
          const std::size_t point =
              (row.index * grid_.axes[1].size() + column.index) * depth + layer.index;
          result.add(grid_.labels[point], row.copies * column.copies * layer.copies,
                     grid_.weight(point));
        }
      }
    }
    return result;
  }

  // A method must exist for every collective that the block spans.
  bool available(const Block& block, std::uint16_t method) const {
    return grid_.available.empty() || std::ranges::all_of(runs(block, 2), [&](const Run& layer) {
             return grid_.available[layer.index][method];
           });
  }

  bool is_leaf(const Block& block, const Tally& tally, std::uint64_t depth) const {
    if (block.extent == std::array<std::uint32_t, kMostAxes>{1, 1, 1}) return true;
    if (!available(block, tally.majority())) return false;
    return depth == options_.max_depth || tally.agrees(options_.accuracy_threshold);
  }

  // Returns the number of the node, as the next ones do.
  std::uint32_t fill(const Block& block, std::uint64_t depth) {
    const Tally counted = tally(block);
    ++shape_.nodes;
    if (!is_leaf(block, counted, depth)) {
      if (!is_kdtree()) return halve(block, 0, depth);
      const Cut cut = best_cut(block);
      return divide(block, cut.axis, cut.place,
                    [&](const Block& part) { return fill(part, depth + 1); });
    }
    ++shape_.leaves;
    shape_.min_depth = std::min(shape_.min_depth, depth);
    shape_.max_depth = std::max(shape_.max_depth, depth);
    shape_.mean_depth += static_cast<double>(depth);
    tree_.push_back({.method = counted.majority()});
    return static_cast<std::uint32_t>(tree_.size() - 1);
  }

  // Halves the sides from `axis` on.
  std::uint32_t halve(const Block& block, std::size_t axis, std::uint64_t depth) {
    if (axis == sides_.size()) return fill(block, depth + 1);
    if (block.extent[axis] == 1) return halve(block, axis + 1, depth);
    return divide(block, axis, block.begin[axis] + block.extent[axis] / 2,
                  [&](const Block& part) { return halve(part, axis + 1, depth); });
  }

  template <typename Fill>
  std::uint32_t divide(const Block& block, std::size_t axis, std::uint32_t place, Fill fill_part) {
    // The grid indices whose deciding place lies before `place` go low.
    const auto& first = sides_[axis].first_place;
    const auto index = static_cast<std::uint32_t>(tree_.size());
    tree_.push_back({.axis = static_cast<std::uint32_t>(axis),
                     .cut = static_cast<std::uint32_t>(std::ranges::lower_bound(first, place) -
                                                       first.begin())});
    const auto [low, high] = block.cut(axis, place);
    const std::uint32_t low_node = fill_part(low);
    const std::uint32_t high_node = fill_part(high);
    tree_[index].low = low_node;
    tree_[index].high = high_node;
    return index;
  }

  // Returns the cut of a kdtree that leaves the least disorder (weighted entropy of the methods) on
  // its two sides; ties go to the first axis, then to the cut nearest the middle, which keeps the
  // tree shallow.
  Cut best_cut(const Block& block) const {
    Cut best;
    for (std::size_t axis = 0; axis < sides_.size(); ++axis) {
      const std::uint32_t begin = block.begin[axis];
      const std::uint32_t end = begin + block.extent[axis];
      for (std::uint32_t place = begin + 1; place < end; ++place) {
        const auto [low, high] = block.cut(axis, place);
        const auto off =
            static_cast<std::uint32_t>(std::abs(std::int64_t{2} * place - begin - end));
        const Cut cut{axis, place, tally(low).disorder() + tally(high).disorder(), off};
        constexpr double kRounding = 1e-9;
        const bool less = cut.disorder < best.disorder - kRounding;
        const bool equal = !less && cut.disorder < best.disorder + kRounding;
        const bool nearer = cut.axis == best.axis && cut.off_middle < best.off_middle;
        if (best.axis == kMostAxes || less || (equal && nearer)) best = cut;
      }
    }
    return best;
  }

  const LabelGrid& grid_;
  GridTreeOptions options_;
  std::vector<Side> sides_;
  Block whole_;
  CellTree tree_;
  TreeShape shape_{.min_depth = UINT64_MAX};
};

}  // namespace

std::pair<CellTree, TreeShape> fit_grid_tree(const LabelGrid& grid,
                                             const GridTreeOptions& options) {
  if (!(options.accuracy_threshold > 0 && options.accuracy_threshold <= 1)) {
    throw UsageError(fmt::format("accuracy threshold must be above 0 and at most 1, not {}",
                                 options.accuracy_threshold));
  }
  return Growth(grid, options).run();
}

}  // namespace colltree::model
