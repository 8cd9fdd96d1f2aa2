// SPDX-License-Identifier: BSD-3-Clause
// C4.5 as Quinlan's release 8: fits a decision tree or production rules to a table of cases,
// decides by them, and shows their parts. Trees agree with release 8's to the last bit of their
// float32 numbers (docs/reference/c45.md). c45/tests/example.cpp shows the use.
//
// Classes, attributes and cases are named by their index, from 0; the values of a discrete
// attribute are numbered from 1. Functions throw std::runtime_error with one line that names the
// fault.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace colltree::c45 {

// The table of cases, column by column.

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
  std::vector<std::vector<std::uint32_t>> values;  // by attribute; filled for discrete ones
  std::vector<std::uint32_t> label;                // class index

  std::size_t size() const { return label.size(); }
};

// An empty table with the columns that `schema` asks for.
Cases empty_cases(const Schema& schema);

// A tree as one arena: no pointers, no recursion, so depth is bounded by memory alone.

enum class TestKind : std::uint8_t {
  kLeaf,
  kThreshold,  // continuous: value <= cut is branch 0, else branch 1
  kValues,     // discrete: value v is branch v - 1
  kGroups,     // discrete: each branch is a set of values (TreeOptions::group)
};

inline constexpr std::uint32_t kNoBranch = 0xFFFFFFFF;

struct Node {
  TestKind test = TestKind::kLeaf;
  std::uint32_t label = 0;  // best class of the cases here
  float items = 0;          // weight of the cases here
  float errors = 0;         // training errors; after pruning the pessimistic estimate
  std::uint32_t attribute = 0;
  float cut = 0;
  float lower = 0, upper = 0;  // soft thresholds of release 8's -p; equal to cut otherwise
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

  // The nodes that the branches of a test lead to; none at a leaf.
  std::span<const std::uint32_t> branches(const Node& node) const {
    return {links.data() + node.first, node.is_leaf() ? 0 : node.count};
  }
  std::span<const ClassWeight> leaf_distribution(const Node& node) const {
    return {distribution.data() + node.first, node.is_leaf() ? node.count : 0};
  }
};

// The branch that a discrete test sends a value to; kNoBranch if the value is unknown or has none.
inline std::uint32_t branch_of_value(const Tree& tree, const Node& node, std::uint32_t value) {
  if (value == kUnknownValue) return kNoBranch;
  if (node.test == TestKind::kValues) return value <= node.count ? value - 1 : kNoBranch;
  return value <= node.values ? tree.group_of[node.groups + value - 1] : kNoBranch;
}

// The same for a case and a test of either kind.
inline std::uint32_t branch_of(const Tree& tree, const Node& node, const Cases& cases,
                               std::uint32_t id) {
  if (node.test != TestKind::kThreshold) {
    return branch_of_value(tree, node, cases.values[node.attribute][id]);
  }
  const float value = cases.numbers[node.attribute][id];
  if (value == kUnknownNumber) return kNoBranch;
  return value <= node.cut ? 0 : 1;
}

// The values of one branch of a grouped test, ascending.
std::vector<std::uint32_t> group_values(const Tree& tree, const Node& node, std::uint32_t branch);

// Fitting a tree. The letters are release 8's options.

inline constexpr int kMostWeight = 1 << 30;
inline constexpr double kLeastConfidencePercent = 0.001;

struct TreeOptions {
  int weight = 2;  // -m: two branches must hold this many cases; 1 to kMostWeight
  float confidence_percent =
      25;                  // -c: above kLeastConfidencePercent, at most 100; less prunes more
  bool gain_only = false;  // -g: information gain instead of gain ratio
  bool group = false;      // -s: group the values of discrete attributes with more than two
  // Keeps the defects of release 8 that are repaired otherwise (docs/reference/c45.md lists them).
  bool strict_r8 = false;
};

struct Trial {
  Tree grown;
  Tree pruned;
  bool simplified = false;  // pruning replaced a subtree
};

// Grows a tree and prunes it. Throws if there is no case, or if a case lacks a value: for unknown
// values see release8/training.h. O(n log n) for balanced trees.
Trial fit_tree(const Schema& schema, const Cases& cases, const TreeOptions& options);

struct TreeSize {
  std::size_t nodes = 0;
  std::size_t leaves = 0;
  std::size_t empty_leaves = 0;  // no case reached them
  std::size_t min_depth = 0;
  std::size_t max_depth = 0;
  double mean_depth = 0;  // over leaves, each counted once
};
TreeSize size_of(const Tree& tree);

// The class of each case. A case whose test value is unknown goes down all branches with weights;
// the answer is the lowest class with the greatest score, which is not always the label of a leaf.
std::vector<std::uint32_t> classify(const Tree& tree, const Schema& schema, const Cases& cases);
std::size_t count_errors(const std::vector<std::uint32_t>& answers, const Cases& cases);

// As release 8 and the tables 1 and 5 of the 2006 paper print trees: "message_size <= 512 :",
// "|   communicator_size > 4 : Linear_0K (22.0/3.0)", (cases/errors); in a pruned tree the errors
// are the pessimistic estimate. At each node leaves come first. Subtrees are not cut out as [S1].
std::string tree_text(const Tree& tree, const Schema& schema);

// Production rules as c4.5rules makes them from trees before pruning: one rule for each leaf, its
// conditions pruned, the best subset for each class, the classes in order, a default class.

struct RuleOptions {
  float confidence_percent = 25;        // -c
  std::optional<float> fisher_percent;  // -F: also drop conditions less significant than this
  float redundancy = 1;                 // -r: a larger one makes conditions cheap to describe
  bool strict_r8 = false;               // rules are compared without the direction of a threshold
};

enum class ConditionKind : std::uint8_t { kValue = 1, kThreshold = 2, kGroup = 3 };

// An unknown value satisfies no condition.
struct Condition {
  ConditionKind kind = ConditionKind::kThreshold;
  std::uint32_t attribute = 0;
  float cut = 0;
  bool above = false;                 // value > cut, else value <= cut
  std::uint32_t value = 0;            // kValue
  std::vector<std::uint32_t> values;  // kGroup: ascending
  std::uint64_t test = 0;             // kGroup: which test of which tree, for finding duplicates
};

struct Rule {
  std::uint32_t number = 0;  // as printed, from 1
  std::uint32_t label = 0;
  float error = 0;  // pessimistic error rate
  float bits = 0;   // code length
  std::vector<Condition> conditions;
};

// Rules whose error rate is above this never fire.
inline constexpr float kMostError = 0.7F;

struct RuleSet {
  std::vector<Rule> rules;  // in the order they are tried; the first whose conditions hold decides
  std::uint32_t default_label = 0;
};

struct RulesOfTrees {
  std::vector<RuleSet> sets;  // one for each tree
  RuleSet final_set;          // of one tree the same; of several trees the composite set
};

// `trees` are those that fit_tree grew from the same cases. O(rules x conditions x cases).
RulesOfTrees make_rules(const std::vector<const Tree*>& trees, const Schema& schema,
                        const Cases& cases, const RuleOptions& options);

// Drops rules that do more harm than good, one at a time; returns the errors that are left. Release
// 8 does it after make_rules, while it evaluates a set on its training cases.
std::size_t drop_harmful_rules(RuleSet& set, const Cases& cases);

// The class of each case.
std::vector<std::uint32_t> classify(const RuleSet& set, const Cases& cases);

// As c4.5rules prints rules.
std::string rules_text(const RuleSet& set, const Schema& schema);

}  // namespace colltree::c45
