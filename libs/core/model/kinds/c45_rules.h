// SPDX-License-Identifier: BSD-3-Clause
// Production rules as a model (kind "c45-rules"): made from the unpruned C4.5 tree as c4.5rules
// does (docs/reference/c45.md), tried in order, the first that fires decides. Its text is what
// c4.5rules prints.
#pragma once

#include <vector>

#include "colltree/c45.hpp"
#include "model/kind.h"
#include "model/kinds/c45_tree.h"

namespace colltree::model {

// Throws Error when the timings hold no instance with a time. Cost: rules x conditions x instances.
Model fit_c45_rules(const std::vector<Timings>& timings, const C45Options& options);

// Splits along the conditions of the rules in their order until one rule is left to decide.
RuleTree lower(const c45::RuleSet& rules, const C45Vocabulary& words);

extern const Kind kC45RulesKind;

}  // namespace colltree::model
