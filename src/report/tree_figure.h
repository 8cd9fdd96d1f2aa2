// SPDX-License-Identifier: BSD-3-Clause
// A drawing of what a model decides: each collective's tree from left to right, tests with their
// two branches, leaves in the colours of their methods.
#pragma once

#include <string>

#include "model/rule_tree.h"
#include "report/palette.h"

namespace colltree::report {

// Throws Error for a tree of more than 400 leaves: nobody reads it, and the map shows it better.
// Cost: a line of 17 pixels for each leaf; a node with several parents is drawn for each.
std::string draw_tree(const model::RuleTree& tree, const std::string& title, Background background);

// "message \u2264 8K", "ranks \u2264 12", "power of two?", "even message size?"; and the word on
// its low or high branch.
std::string test_text(const model::RuleNode& node);
const char* branch_text(const model::RuleNode& node, bool low);

}  // namespace colltree::report
