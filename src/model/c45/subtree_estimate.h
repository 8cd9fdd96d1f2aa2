// SPDX-License-Identifier: BSD-3-Clause
// What a subtree would be worth with further cases: the question of subtree raising about the
// largest branch of a test, once the other branches' cases went into it too.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "model/c45/class_counts.h"
#include "model/c45/pessimistic.h"
#include "model/c45/placed_tree.h"
#include "model/c45/sent_cases.h"

namespace colltree::c45 {

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
