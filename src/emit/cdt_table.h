// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "model/rule_tree.h"

namespace colltree {

// The table of one collective as a section of a .cdt; nothing when it would have more than 2^20
// cells or an axis more than 2^15 intervals.
std::optional<std::string> table_section(const RuleTree& tree, const RuleTree::Root& root);

}  // namespace colltree
