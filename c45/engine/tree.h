// SPDX-License-Identifier: BSD-3-Clause
// What the engine does with trees beyond the public header.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "colltree/c45.hpp"

namespace colltree::c45 {

// From the midpoint of a cut to the threshold of the test: the greatest value not above the
// midpoint among all cases of the .data file, not only those at the node.
class Thresholds {
 public:
  // Sorts the distinct values of every continuous attribute: O(n log n), 4 bytes per value.
  Thresholds(const Schema& schema, const Cases& cases);

  // Between two neighbouring values at a node, not counting `high`. Above 2^24 the midpoint of
  // adjacent float32 numbers can round up to the greater one: release 8 then sends every case to
  // one side and recurses for ever. Here the cut falls back to the smaller value; `strict_r8`
  // throws Error instead, naming the attribute and the values.
  float between(std::size_t attribute, float low, float high, bool strict_r8) const;
  const std::vector<float>& values(std::size_t attribute) const { return values_[attribute]; }

 private:
  std::vector<std::string> names_;  // of the attributes, for messages
  std::vector<std::vector<float>> values_;
};

// Cases counted by class. Clearing costs what occurred, not the number of classes.
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
  void sort() { std::ranges::sort(present_); }

  std::uint32_t operator[](std::uint32_t label) const { return count_[label]; }
  // The classes that occur, ascending after sort().
  std::span<const std::uint32_t> present() const { return present_; }
  std::uint32_t most() const;
  // A class that occurs most: `label` on ties, else the lowest.
  std::uint32_t best_label(std::uint32_t label) const;

 private:
  std::vector<std::uint32_t> count_;    // by class
  std::vector<std::uint32_t> present_;  // classes that occur
};

// Makes the node a leaf of these classes.
void make_leaf(Tree& tree, Node& node, std::span<const float> class_weights);
void make_leaf(Tree& tree, Node& node, ClassCounts& classes);

// The same tree without unreachable nodes, in depth-first order.
Tree compacted(const Tree& tree);

// Says the class of a case, as the public classify() does (reference/c45-release8.md, section 8).
class Classifier {
 public:
  Classifier(const Tree& tree, std::size_t classes) : tree_(tree), score_(classes) {}
  std::uint32_t classify(const Cases& cases, std::uint32_t id) {
    return classify_from(0, cases, id);
  }
  // What the subtree at `node` says.
  std::uint32_t classify_from(std::uint32_t node, const Cases& cases, std::uint32_t id);

 private:
  struct Open {
    std::uint32_t node;
    float weight;
  };
  std::uint32_t spread(const Cases& cases, std::uint32_t id, Open from);
  void add_leaf(const Node& leaf, float weight);

  const Tree& tree_;
  std::vector<float> score_;
  std::vector<Open> open_;
};

// "message_size <= 512": the test of one branch.
std::string branch_condition(const Tree& tree, const Node& node, std::uint32_t branch,
                             const Schema& schema);
// "Linear_0K (22.0/3.0)".
std::string leaf_text(const Node& leaf, const Schema& schema);

}  // namespace colltree::c45
