// SPDX-License-Identifier: BSD-3-Clause
// The two ways to grow a grid tree: quadtree and octree over the replicated power-of-two square
// (cube), and kdtree.

#include <fmt/core.h>

#include <bit>
#include <cstdlib>
#include <numeric>

#include "base/error.h"
#include "model/quadtree/grid_tree.h"

namespace colltree::model {

namespace {

// One side of the square: place -> grid index.
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
};

class Builder {
 public:
  Builder(const LabelGrid& grid, const GridTreeOptions& options) : grid_(grid), options_(options) {
    const std::size_t square = std::bit_ceil(std::max(grid.axes[0].size(), grid.axes[1].size()));
    for (std::size_t axis = 0; axis < grid.axes.size(); ++axis) {
      // The third axis has few values: its own power of two separates them in the first levels,
      // where a full cube would do so in the last.
      const std::size_t values = grid.axes[axis].size();
      const std::size_t places = axis < 2 ? square : std::bit_ceil(values);
      sides_.push_back(make_side(values, places, axis < 2 ? options.reshape : Reshape::kEven));
      whole_.extent[axis] = static_cast<std::uint32_t>(places);
    }
  }

  GridTree build() {
    tree_.resize(1);
    fill(0, whole_, 0);
    return std::move(tree_);
  }

 private:
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
    if (grid_.available.empty()) return true;
    for (const Run& layer : runs(block, 2)) {
      if (!grid_.available[layer.index][method]) return false;
    }
    return true;
  }

  bool is_leaf(const Block& block, const Tally& tally, std::uint64_t depth) const {
    if (block.extent == std::array<std::uint32_t, kMostAxes>{1, 1, 1}) return true;
    if (!available(block, tally.majority())) return false;
    return depth == options_.max_depth || tally.agrees(options_.accuracy_threshold);
  }

  // The grid indices whose deciding place lies before `place`.
  std::uint32_t indices_before(std::size_t axis, std::uint32_t place) const {
    const auto& first = sides_[axis].first_place;
    return static_cast<std::uint32_t>(std::lower_bound(first.begin(), first.end(), place) -
                                      first.begin());
  }

  void fill(std::uint32_t node, const Block& block, std::uint64_t depth) {
    const Tally counted = tally(block);
    tree_[node].method = counted.majority();
    if (is_leaf(block, counted, depth)) return;
    std::vector<Block> parts = {block};
    for (std::size_t axis = 0; axis < sides_.size(); ++axis) {
      if (block.extent[axis] == 1) continue;
      const std::uint32_t half = block.extent[axis] / 2;
      tree_[node].split[axis] = indices_before(axis, block.begin[axis] + half);
      std::vector<Block> halves;
      for (Block part : parts) {
        part.extent[axis] = half;
        halves.push_back(part);
        part.begin[axis] += half;
        halves.push_back(part);
      }
      parts = std::move(halves);
    }
    const auto first = static_cast<std::uint32_t>(tree_.size());
    tree_[node].method = 0;
    tree_[node].first_child = first;
    tree_.resize(tree_.size() + parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      fill(first + static_cast<std::uint32_t>(i), parts[i], depth + 1);
    }
  }

  const LabelGrid& grid_;
  GridTreeOptions options_;
  std::vector<Side> sides_;
  Block whole_;
  GridTree tree_;
};

struct KdtreeBlock {
  std::array<std::uint32_t, kMostAxes> begin = {};
  std::array<std::uint32_t, kMostAxes> end = {1, 1, 1};
};

struct Cut {
  std::size_t axis = kMostAxes;  // kMostAxes: none is possible
  std::uint32_t index = 0;
  double disorder = 0;
  std::uint32_t off_middle = 0;
};

// Two-way tree over the measured grid: each cut is the one that leaves the least disorder
// (weighted entropy of the methods) on its two sides; ties go to the first axis, then to the cut
// nearest the middle, which keeps the tree shallow.
class KdtreeBuilder {
 public:
  KdtreeBuilder(const LabelGrid& grid, const GridTreeOptions& options)
      : grid_(grid), options_(options) {
    for (std::size_t axis = 0; axis < grid.axes.size(); ++axis) {
      whole_.end[axis] = static_cast<std::uint32_t>(grid.axes[axis].size());
    }
  }

  GridTree build() {
    tree_.resize(1);
    fill(0, whole_, 0);
    return std::move(tree_);
  }

 private:
  Tally tally(const KdtreeBlock& block) const {
    Tally result(grid_.methods.size());
    for (std::uint32_t i = block.begin[0]; i < block.end[0]; ++i) {
      for (std::uint32_t j = block.begin[1]; j < block.end[1]; ++j) {
        for (std::uint32_t k = block.begin[2]; k < block.end[2]; ++k) {
          const std::size_t point = (i * whole_.end[1] + std::size_t{j}) * whole_.end[2] + k;
          result.add(grid_.labels[point], 1, grid_.weight(point));
        }
      }
    }
    return result;
  }

  static std::pair<KdtreeBlock, KdtreeBlock> halves(const KdtreeBlock& block, std::size_t axis,
                                                    std::uint32_t index) {
    std::pair<KdtreeBlock, KdtreeBlock> result = {block, block};
    result.first.end[axis] = index;
    result.second.begin[axis] = index;
    return result;
  }

  Cut best_cut(const KdtreeBlock& block) const {
    Cut best;
    for (std::size_t axis = 0; axis < grid_.axes.size(); ++axis) {
      for (std::uint32_t index = block.begin[axis] + 1; index < block.end[axis]; ++index) {
        const auto [low, high] = halves(block, axis, index);
        const auto off = static_cast<std::uint32_t>(
            std::abs(std::int64_t{2} * index - block.begin[axis] - block.end[axis]));
        const Cut cut{axis, index, tally(low).disorder() + tally(high).disorder(), off};
        constexpr double kRounding = 1e-9;
        const bool less = cut.disorder < best.disorder - kRounding;
        const bool equal = !less && cut.disorder < best.disorder + kRounding;
        const bool nearer = cut.axis == best.axis && cut.off_middle < best.off_middle;
        if (best.axis == kMostAxes || less || (equal && nearer)) best = cut;
      }
    }
    return best;
  }

  bool available(const KdtreeBlock& block, std::uint16_t method) const {
    if (grid_.available.empty()) return true;
    for (std::uint32_t layer = block.begin[2]; layer < block.end[2]; ++layer) {
      if (!grid_.available[layer][method]) return false;
    }
    return true;
  }

  void fill(std::uint32_t node, const KdtreeBlock& block, std::uint64_t depth) {
    const Tally counted = tally(block);
    const std::uint16_t method = counted.majority();
    const bool enough = depth == options_.max_depth || counted.agrees(options_.accuracy_threshold);
    const Cut cut = enough && available(block, method) ? Cut{} : best_cut(block);
    if (cut.axis == kMostAxes) {
      tree_[node].method = method;
      return;
    }
    const auto first = static_cast<std::uint32_t>(tree_.size());
    tree_[node].split[cut.axis] = cut.index;
    tree_[node].first_child = first;
    tree_.resize(tree_.size() + 2);
    const auto [low, high] = halves(block, cut.axis, cut.index);
    fill(first, low, depth + 1);
    fill(first + 1, high, depth + 1);
  }

  const LabelGrid& grid_;
  GridTreeOptions options_;
  KdtreeBlock whole_;
  GridTree tree_;
};

}  // namespace

GridTree fit_grid_tree(const LabelGrid& grid, const GridTreeOptions& options) {
  if (!(options.accuracy_threshold > 0 && options.accuracy_threshold <= 1)) {
    throw UsageError(fmt::format("accuracy threshold must be above 0 and at most 1, not {}",
                                 options.accuracy_threshold));
  }
  return options.reshape == Reshape::kNone ? KdtreeBuilder(grid, options).build()
                                           : Builder(grid, options).build();
}

}  // namespace colltree::model
