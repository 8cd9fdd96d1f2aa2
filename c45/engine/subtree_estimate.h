// SPDX-License-Identifier: BSD-3-Clause
// What complete pruning knows of a tree: where its cases stand, where those of smaller branches
// would end, and what a subtree would be worth with them.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/arithmetic.h"
#include "engine/tree.h"

namespace colltree::c45 {

// A tree with its complete training cases in it: those of each node stand together.
struct PlacedTree {
  // Where a node's cases are: ids[begin, begin + items). `most` counts its best class. A node that
  // no case reaches keeps what growing left in it, but has no items here.
  struct Place {
    std::uint32_t begin = 0;
    std::uint32_t items = 0;
    std::uint32_t most = 0;
    bool replaced = false;      // another node was raised to here
    bool raised_below = false;  // the tests on the way to its leaves are no longer the grown ones
  };

  explicit PlacedTree(Tree grown) : tree(std::move(grown)), places(tree.nodes.size()) {}

  std::uint32_t size(std::uint32_t node) const { return places[node].items; }
  float own_errors(std::uint32_t node) const {
    return size(node) > 0 ? tree.nodes[node].errors : 0.0F;
  }

  Tree tree;
  std::vector<std::uint32_t> ids;  // of all cases
  std::vector<Place> places;       // by node
};

// Groups ids[begin, end) by the branch that they take at the node; appends each branch's end to
// `bounds`. The order within a branch is not kept.
void partition(const Tree& tree, const Node& node, const Cases& cases,
               std::vector<std::uint32_t>& ids, std::uint32_t begin, std::uint32_t end,
               std::vector<std::uint32_t>& bounds);

// For each test of a grown tree: where in its largest branch the other branches' cases would end.
// Computed once, it serves every confidence level; without it each pruning sends the cases again.
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

// What a subtree would be worth with further cases: the question of subtree raising about the
// largest branch of a test, once the other branches' cases went into it too.
//
// Errors of the subtree at `root`, as a sum over its leaves in float32; kAboveEnough as soon as the
// result must be above `enough`. Cost: the nodes that the cases reach, and the cases.
class SubtreeEstimate {
 public:
  static constexpr float kAboveEnough = std::numeric_limits<float>::infinity();

  // Both must outlive the estimate; the tree may change between calls.
  SubtreeEstimate(const PlacedTree& here, const Cases& cases, std::size_t classes,
                  const Pessimistic& pessimistic)
      : here_(here), cases_(cases), pessimistic_(pessimistic), counts_(classes) {}

  // With cases whose leaves are known: sent.of(test) of the test above `root`.
  float with_sent(std::uint32_t root, const SentCases& sent, std::uint32_t test, double enough);
  // With cases of which only the numbers are known; their order changes.
  float with_cases(std::uint32_t root, std::vector<std::uint32_t>& ids, double enough);

 private:
  // A node on the way down with additional cases, ids[begin, end).
  struct Descent {
    std::uint32_t node;
    std::uint32_t begin;
    std::uint32_t end;
    std::uint32_t bounds;  // into bounds_: where each branch's cases end
    std::uint32_t next;
    float errors;
  };

  void descend(std::uint32_t node, std::vector<std::uint32_t>& ids, std::uint32_t begin,
               std::uint32_t end);
  void count_own(std::uint32_t leaf);
  float leaf_estimate(std::uint32_t leaf, std::uint32_t further) const;

  const PlacedTree& here_;
  const Cases& cases_;
  Pessimistic pessimistic_;
  ClassCounts counts_;
  std::vector<std::uint32_t> bounds_;
  std::vector<Descent> descents_;
};

}  // namespace colltree::c45
