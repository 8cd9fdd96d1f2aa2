// SPDX-License-Identifier: BSD-3-Clause
// Rules for people, as c4.5rules prints them.
#pragma once

#include <string>

#include "model/c45/rules/rule.h"

namespace colltree::c45 {

std::string rules_text(const RuleSet& set, const Schema& schema);
std::string rule_text(const Rule& rule, const Schema& schema);

}  // namespace colltree::c45
