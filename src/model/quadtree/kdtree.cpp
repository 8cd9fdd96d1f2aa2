// SPDX-License-Identifier: BSD-3-Clause
// Two-way tree over the measured grid: each cut is the one that leaves the least disorder
// (weighted entropy of the methods) on its two sides; ties go to the first axis, then to the cut
// nearest the middle, which keeps the tree shallow.
#include <cstdlib>

#include "model/quadtree/grid_tree.h"

namespace colltree {

namespace {

struct KdtreeBlock {
  std::array<std::uint32_t, kMostAxes> begin = {};
  std::array<std::uint32_t, kMostAxes> end = {1, 1, 1};
};

struct Cut {
  std::size_t axis = kMostAxes;  // kMostAxes: none is possible
  std::uint32_t at = 0;
  double disorder = 0;
  std::uint32_t off_middle = 0;
};

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
                                                    std::uint32_t at) {
    std::pair<KdtreeBlock, KdtreeBlock> result = {block, block};
    result.first.end[axis] = at;
    result.second.begin[axis] = at;
    return result;
  }

  Cut best_cut(const KdtreeBlock& block) const {
    Cut best;
    for (std::size_t axis = 0; axis < grid_.axes.size(); ++axis) {
      for (std::uint32_t at = block.begin[axis] + 1; at < block.end[axis]; ++at) {
        const auto [low, high] = halves(block, axis, at);
        const auto off = static_cast<std::uint32_t>(
            std::abs(std::int64_t{2} * at - block.begin[axis] - block.end[axis]));
        const Cut cut{axis, at, tally(low).disorder() + tally(high).disorder(), off};
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
    tree_[node].split[cut.axis] = cut.at;
    tree_[node].first_child = first;
    tree_.resize(tree_.size() + 2);
    const auto [low, high] = halves(block, cut.axis, cut.at);
    fill(first, low, depth + 1);
    fill(first + 1, high, depth + 1);
  }

  const LabelGrid& grid_;
  GridTreeOptions options_;
  KdtreeBlock whole_;
  GridTree tree_;
};

}  // namespace

GridTree fit_kdtree(const LabelGrid& grid, const GridTreeOptions& options) {
  return KdtreeBuilder(grid, options).build();
}

}  // namespace colltree
