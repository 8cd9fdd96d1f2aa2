// SPDX-License-Identifier: BSD-3-Clause
// The report of c4.5rules.
#pragma once

#include <string>

#include "model/c45/rules/make_rules.h"

namespace colltree::c45 {

// Each set, then the evaluation on training and test cases (`test` may be null), in which harmful
// rules are dropped.
std::string rules_report(RulesOfTrees rules, const Schema& schema, const Cases& cases,
                         const Cases* test);

}  // namespace colltree::c45
