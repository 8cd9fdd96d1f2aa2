// SPDX-License-Identifier: BSD-3-Clause
// A list of rules, the first that fires decides, as a decision tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/rule_tree.h"

namespace colltree {

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

}  // namespace colltree
