// SPDX-License-Identifier: BSD-3-Clause
// For each test of a grown tree: where in its largest branch the other branches' cases would end.
// Computed once, it serves every confidence level; without it each pruning sends the cases again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/c45/placed_tree.h"

namespace colltree::c45 {

class SentCases {
 public:
  struct Entry {
    std::uint32_t leaf;  // node index; a subtree's leaves are [root, subtree_end(root))
    std::uint32_t label;
  };

  // The tree in depth-first order (compacted). O(cases x depth) time and memory.
  SentCases(const PlacedTree& grown, const Cases& cases);

  // By ascending leaf.
  std::span<const Entry> of(std::uint32_t node) const {
    return std::span(entries_).subspan(first_[node], first_[node + 1] - first_[node]);
  }
  std::uint32_t subtree_end(std::uint32_t node) const { return end_[node]; }

 private:
  void measure_subtrees(const Tree& tree);
  void send(const Tree& tree, const Cases& cases, std::span<const std::uint32_t> ids,
            std::uint32_t to);
  void sort_from(std::uint32_t first);

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> first_;  // by node: into entries_
  std::vector<std::uint32_t> end_;    // by node: behind its subtree
};

}  // namespace colltree::c45
