// SPDX-License-Identifier: BSD-3-Clause
// The one form that every model lowers to and every emitter reads: a decision tree with integer
// thresholds. Total: every instance of a known collective reaches exactly one leaf.
#pragma once

#include <cstdint>
#include <vector>

#include "coll/method.h"

namespace colltree {

// What a node may look at. The standard makes each of them equal on all ranks of a call.
enum class Attribute : std::uint8_t {
  kCommunicatorSize,
  kMessageSize,
  kNodes,
  kRanksPerNode,
  kCommunicatorSizeIsPowerOfTwo,  // value 0 or 1
};

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
};

struct RuleTree {
  struct Root {
    Collective collective = Collective::kBcast;
    std::uint32_t node = 0;
  };
  std::vector<Method> methods;
  std::vector<Root> roots;      // one for each collective the model decides for
  std::vector<RuleNode> nodes;  // children come after their parents; no node is shared by accident
};

// Throws Error when the tree decides for no such collective.
const Method& decide(const RuleTree& tree, const Instance& instance);

// Throws Error that says what is broken: an index out of range, a cycle, a root twice.
void validate(const RuleTree& tree);

}  // namespace colltree
