// SPDX-License-Identifier: BSD-3-Clause
// The keys of a JSON object in a rules file: those that stand twice and those that nobody reads.
#pragma once

#include <string>
#include <vector>

#include "emit/rules/json_lines.h"
#include "emit/rules/rule_target.h"

namespace colltree {

void check_repeated(const JsonValue& object, RuleFile& file);
// Also those that are not `known`, each with the nearest that is.
void check_keys(const JsonValue& object, const std::vector<std::string>& known, RuleFile& file);

}  // namespace colltree
