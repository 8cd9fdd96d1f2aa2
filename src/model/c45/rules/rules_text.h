// SPDX-License-Identifier: BSD-3-Clause
// Rules for people, and as source.
#pragma once

#include <string>
#include <string_view>

#include "model/c45/rules/make_rules.h"

namespace colltree::c45 {

// As c4.5rules prints: each set, then the evaluation on training and test cases (`test` may be
// null), in which harmful rules are dropped.
std::string rules_report(RulesOfTrees rules, const Schema& schema, const Cases& cases,
                         const Cases* test);
std::string rules_text(const RuleSet& set, const Schema& schema);
std::string rule_text(const Rule& rule, const Schema& schema);
// Same classes and signature as tree_c.
std::string rules_c(const RuleSet& set, const Schema& schema, std::string_view function);

}  // namespace colltree::c45
