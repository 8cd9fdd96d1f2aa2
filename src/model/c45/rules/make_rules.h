// SPDX-License-Identifier: BSD-3-Clause
// From trees to rule sets: the rules of every path, pruned; the best subset for each class; their
// order and the default class.
#pragma once

#include <span>
#include <vector>

#include "model/c45/rules/rule.h"
#include "model/c45/rules/subset.h"

namespace colltree::c45 {

struct RulesOfTrees {
  std::vector<RuleSet> sets;  // one for each tree; before harmful rules are dropped
  RuleSet final_set;          // of one tree the same; of several trees the composite set
};

RulesOfTrees make_rules(const std::vector<const Tree*>& trees, const Schema& schema,
                        const Cases& cases, const RuleOptions& options);

}  // namespace colltree::c45
