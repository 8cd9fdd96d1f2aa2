// SPDX-License-Identifier: BSD-3-Clause
// What C4.5 learns from: a schema (.names) and cases (.data, .test), column by column; and what it
// learns: a tree.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace colltree::c45 {

enum class AttributeKind : std::uint8_t { kContinuous, kDiscrete, kIgnored };

struct Attribute {
  std::string name;
  AttributeKind kind = AttributeKind::kContinuous;
  std::vector<std::string> values;  // discrete: value v is values[v - 1]
  // "discrete n": up to n values are taken from the data in order of appearance; 0 = declared.
  std::size_t open_values = 0;
};

struct Schema {
  std::vector<std::string> classes;  // in order of declaration, used or not: their number counts
  std::vector<Attribute> attributes;
};

inline constexpr float kUnknownNumber = -999.0F;  // release 8's marker: a genuine -999 is unknown
inline constexpr std::uint32_t kUnknownValue = 0;

struct Cases {
  std::vector<std::vector<float>> numbers;         // by attribute; filled for continuous ones
  std::vector<std::vector<std::uint32_t>> values;  // by attribute; filled for discrete ones, from 1
  std::vector<std::uint32_t> label;                // class index

  std::size_t size() const { return label.size(); }
};

// Room for the columns that `schema` asks for.
Cases empty_cases(const Schema& schema);

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

// A C4.5 tree as one arena: no pointers, no recursion, so depth is bounded by memory alone.

enum class TestKind : std::uint8_t {
  kLeaf,
  kThreshold,  // continuous: value <= cut is branch 0, else branch 1
  kValues,     // discrete: value v is branch v - 1
  kGroups,     // discrete: each branch is a set of values (-s)
};

inline constexpr std::uint32_t kNoBranch = 0xFFFFFFFF;

struct Node {
  TestKind test = TestKind::kLeaf;
  std::uint32_t label = 0;  // best class of the cases here
  float items = 0;          // weight of the cases here
  float errors = 0;         // training errors; after pruning the pessimistic estimate
  std::uint32_t attribute = 0;
  float cut = 0;
  float lower = 0, upper = 0;  // soft thresholds (-p); equal to cut otherwise
  std::uint32_t first = 0;     // leaf: into Tree::distribution; else into Tree::links
  std::uint32_t count = 0;     // leaf: classes present; else number of branches
  std::uint32_t groups = 0;    // kGroups: into Tree::group_of
  std::uint32_t values = 0;    // kGroups: how many entries, one for each value
  bool is_leaf() const { return test == TestKind::kLeaf; }
};

struct ClassWeight {
  std::uint32_t label;
  float weight;
};

struct Tree {
  std::vector<Node> nodes;                // the root is node 0; children come after their parents
  std::vector<std::uint32_t> links;       // branches of inner nodes
  std::vector<ClassWeight> distribution;  // of leaves, by ascending class
  std::vector<std::uint32_t> group_of;    // branch of value v at [groups + v - 1], or kNoBranch
  bool soft = false;                      // lower and upper are set

  std::span<const std::uint32_t> branches(const Node& node) const {
    return {links.data() + node.first, node.is_leaf() ? 0 : node.count};
  }
  std::span<const ClassWeight> leaf_distribution(const Node& node) const {
    return {distribution.data() + node.first, node.is_leaf() ? node.count : 0};
  }
};

// The values of branch `branch` of a grouped test, ascending, from 1.
std::vector<std::uint32_t> group_values(const Tree& tree, const Node& node, std::uint32_t branch);

// The branch a case takes, or kNoBranch: unknown value, or a value without a branch.
inline std::uint32_t branch_of(const Tree& tree, const Node& node, const Cases& cases,
                               std::uint32_t id) {
  if (node.test == TestKind::kThreshold) {
    const float value = cases.numbers[node.attribute][id];
    if (value == kUnknownNumber) return kNoBranch;
    return value <= node.cut ? 0 : 1;
  }
  const std::uint32_t value = cases.values[node.attribute][id];
  if (value == kUnknownValue) return kNoBranch;
  if (node.test == TestKind::kValues) return value <= node.count ? value - 1 : kNoBranch;
  return value <= node.values ? tree.group_of[node.groups + value - 1] : kNoBranch;
}

// Sets a leaf's distribution from a weight for each class.
void make_leaf(Tree& tree, Node& node, std::span<const float> class_weights);

struct TreeSize {
  std::size_t nodes = 0;
  std::size_t leaves = 0;
  std::size_t empty_leaves = 0;  // no case reached them
  std::size_t min_depth = 0;
  std::size_t max_depth = 0;
  double mean_depth = 0;  // over leaves, each counted once
};

// Of what is reachable from the root.
TreeSize size_of(const Tree& tree);

// The same tree without unreachable nodes, in depth-first order.
Tree compacted(const Tree& tree);

// What a tree says of a case. A case whose test value is unknown goes down all branches with
// weights; the answer is the lowest class with the greatest score, which is not always the label
// printed at a leaf (reference/c45-release8.md, section 8).
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

std::size_t count_errors(const Tree& tree, std::size_t classes, const Cases& cases);

// A tree for people.

// As release 8 and the tables 1 and 5 of the 2006 paper print trees: "message_size <= 512 :",
// "|   communicator_size > 4 : Linear_0K (22.0/3.0)", (cases/errors); in a pruned tree the errors
// are the pessimistic estimate. At each node leaves come first. Subtrees are not cut out as [S1].
// Walks with an explicit stack.
std::string tree_text(const Tree& tree, const Schema& schema);

// "message_size <= 512": the test of one branch.
std::string branch_condition(const Tree& tree, const Node& node, std::uint32_t branch,
                             const Schema& schema);
// "Linear_0K (22.0/3.0)".
std::string leaf_text(const Node& leaf, const Schema& schema);

}  // namespace colltree::c45
