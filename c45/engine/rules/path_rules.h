// SPDX-License-Identifier: BSD-3-Clause
// From a tree to rules: one for each path, without the conditions that are not worth it.
#pragma once

#include <optional>
#include <vector>

#include "engine/arithmetic.h"
#include "engine/rules/rule.h"

namespace colltree::c45 {

// One rule for each leaf that cases reach, in the order of the branches. `tree_number` keeps the
// grouped tests of several trees apart.
std::vector<Rule> path_rules(const Tree& tree, std::size_t tree_number);

// Drops conditions greedily while the pessimistic error rate does not rise, over all cases; sets
// the error rate and sorts the conditions. False when nothing worth keeping is left.
// O(cases x conditions) for each condition dropped.
class RulePruner {
 public:
  RulePruner(const Schema& schema, const Cases& cases, const RuleOptions& options);
  bool prune(Rule& rule) const;

 private:
  const Cases& cases_;
  Pessimistic pessimistic_;
  std::optional<float> fisher_percent_;
  std::vector<float> default_error_;  // by class
};

// Adds a rule with the next number, unless the same one is there: then only the larger error is
// kept. Release 8 compares cuts but not directions; `strict_r8` keeps that defect.
void add_rule(std::vector<Rule>& rules, Rule rule, bool strict_r8);

}  // namespace colltree::c45
