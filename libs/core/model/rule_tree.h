// SPDX-License-Identifier: BSD-3-Clause
// The form that every model is reduced to and every emitter reads: a decision tree with integer
// thresholds. It is total: every instance of a known collective reaches exactly one leaf.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "base/bounds.h"
#include "coll/attribute.h"

namespace colltree::model {

struct RuleNode {
  static constexpr std::uint32_t kLeaf = 0xFFFFFFFF;

  // Inner node: value <= threshold goes to `low`, else to `high`. Leaf: low == kLeaf, method
  // counts.
  Attribute attribute = Attribute::kCommunicatorSize;
  std::uint64_t threshold = 0;
  std::uint32_t low = kLeaf;
  std::uint32_t high = kLeaf;
  std::uint16_t method = 0;  // index into RuleTree::methods

  bool is_leaf() const { return low == kLeaf; }
  bool operator==(const RuleNode&) const = default;
};

struct RuleTree {
  struct Root {
    Collective collective = Collective::kBcast;
    std::uint32_t node = 0;
    bool operator==(const Root&) const = default;
  };
  std::vector<Method> methods;
  std::vector<Root> roots;      // one for each collective the model decides for
  std::vector<RuleNode> nodes;  // children come after their parents; a node may have several
                                // parents (equal regions merged), which emitters may expand

  bool operator==(const RuleTree&) const = default;
};

// The node a collective starts at. Throws Error when the tree decides for no such collective.
std::uint32_t root_of(const RuleTree& tree, Collective collective);

// Throws Error when the tree decides for no such collective. The tree must be valid.
const Method& decide(const RuleTree& tree, const Instance& instance);
// The leaf that an instance reaches from a given node.
std::uint32_t leaf_from(const RuleTree& tree, std::uint32_t node, const Instance& instance);
// The method of that leaf, as an index into tree.methods.
std::uint16_t decide_from(const RuleTree& tree, std::uint32_t node, const Instance& instance);

// Throws Error that says what is broken: no root, a collective twice, an index out of range, a
// child before its parent (which excludes cycles).
void validate(const RuleTree& tree);

// Thresholds of the tests that a node reaches, by attribute. A threshold of 2^64 - 1 is not among
// them, because every value passes it. Cost: nodes x log thresholds.
struct Thresholds {
  std::array<std::set<std::uint64_t>, kAttributes> by_attribute;

  std::set<std::uint64_t>& operator[](Attribute attribute) {
    return by_attribute[static_cast<std::size_t>(attribute)];
  }
  const std::set<std::uint64_t>& operator[](Attribute attribute) const {
    return by_attribute[static_cast<std::size_t>(attribute)];
  }
};
Thresholds thresholds_of(const RuleTree& tree, std::uint32_t node);

// Builders: append a node and return its index. An inner node is appended before its children,
// which are linked afterwards.
std::uint32_t append_leaf(RuleTree& tree, std::uint16_t method);
std::uint32_t append_test(RuleTree& tree, Attribute attribute, std::uint64_t threshold);
// Links the children of the test and returns its index.
std::uint32_t link_children(RuleTree& tree, std::uint32_t test, std::uint32_t low,
                            std::uint32_t high);

// The index of the method among those of a tree, which get the method if they lack it. Throws Error
// beyond 65536.
std::uint16_t index_of_method(std::vector<Method>& methods, const Method& method);
// Appends the nodes of another tree and returns the index of its first.
std::uint32_t append_nodes(RuleTree& tree, const RuleTree& appended);

// Shape of a tree under one root; depth counts tests on the way to a leaf. Means are over leaves,
// as in the papers (2007, tables 1 and 2).
struct TreeShape {
  std::uint64_t leaves = 0;
  std::uint64_t nodes = 0;
  std::uint64_t min_depth = 0;
  std::uint64_t max_depth = 0;
  double mean_depth = 0;
};
TreeShape shape(const RuleTree& tree, std::uint32_t node);
// The shape of all trees together, with the mean over all leaves; a node counts for each root that
// reaches it.
TreeShape total_shape(const RuleTree& tree);
// The trees of several models side by side, for targets that want a single file: the decisions for
// every collective stay the same. Throws Error when there is none, when two of them decide for the
// same collective, or when their methods are more than 2^16.
RuleTree united(std::span<const RuleTree> trees);

// The values of each attribute that arrive at a node.
using ValueRanges = std::array<WholeRange, kAttributes>;
ValueRanges all_values();

// A list of rules as a decision tree; the first rule that fires decides.

// value <= threshold, or the opposite.
struct Bound {
  Attribute attribute = Attribute::kCommunicatorSize;
  std::uint64_t threshold = 0;
  bool above = false;
};

struct BoundedRule {
  std::vector<Bound> bounds;  // all must hold
  std::uint16_t method = 0;
};

// Appends the tree of these rules to `tree` and returns its root; `otherwise` decides where no rule
// fires. Tests come in the order of the rules' bounds. Cost: grows with the number of regions, at
// most the product of the thresholds on each attribute.
std::uint32_t append_first_match(RuleTree& tree, std::span<const BoundedRule> rules,
                                 std::uint16_t otherwise);

}  // namespace colltree::model
