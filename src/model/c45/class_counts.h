// SPDX-License-Identifier: BSD-3-Clause
// Cases counted by class. Clearing costs what occurred, not the number of classes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/c45/tree.h"

namespace colltree::c45 {

class ClassCounts {
 public:
  explicit ClassCounts(std::size_t classes) : count_(classes, 0) {}

  void clear() {
    for (const std::uint32_t c : present_) count_[c] = 0;
    present_.clear();
  }
  void add(std::uint32_t label, std::uint32_t cases = 1) {
    if (count_[label] == 0) present_.push_back(label);
    count_[label] += cases;
  }

  std::uint32_t most() const {
    std::uint32_t best = 0;
    for (const std::uint32_t c : present_) best = std::max(best, count_[c]);
    return best;
  }
  // A class that occurs most: `label` on ties, else the lowest.
  std::uint32_t best_label(std::uint32_t label) const {
    const std::uint32_t best = most();
    if (count_[label] == best) return label;
    auto lowest = static_cast<std::uint32_t>(count_.size());
    for (const std::uint32_t c : present_) {
      if (count_[c] == best) lowest = std::min(lowest, c);
    }
    return lowest;
  }

  // Makes the node a leaf of these classes.
  void set_leaf(Node& node, std::vector<ClassWeight>& distribution) {
    std::ranges::sort(present_);
    node.test = TestKind::kLeaf;
    node.first = static_cast<std::uint32_t>(distribution.size());
    node.count = static_cast<std::uint32_t>(present_.size());
    for (const std::uint32_t c : present_) {
      distribution.push_back({c, static_cast<float>(count_[c])});
    }
  }

 private:
  std::vector<std::uint32_t> count_;    // by class
  std::vector<std::uint32_t> present_;  // classes that occur
};

}  // namespace colltree::c45
