// SPDX-License-Identifier: BSD-3-Clause
// Maps and trees in the terminal: letters, with colours behind them where the terminal has colours.
#pragma once

#include <cstdio>
#include <string>

#include "model/rule_tree.h"
#include "report/method_maps.h"

namespace colltree::report {

enum class TerminalColours : std::uint8_t { kNone, k256, kAll };

struct Terminal {
  TerminalColours colours = TerminalColours::kNone;
  std::size_t width = 0;  // characters in a line; 0 = not known
};

// The abilities of `out`: colours when it is a terminal that has them (TERM, COLORTERM), or else
// CLICOLOR_FORCE is set, and never with NO_COLOR (https://no-color.org,
// https://bixense.com/clicolors).
Terminal terminal_of(std::FILE* out);

// Rows are communicator sizes, columns message sizes; below it the methods, most cells first.
// Two characters a cell, one where a line would not fit.
std::string terminal_map(const MethodMap& map, const Terminal& terminal);
std::string terminal_penalty(const PenaltyMap& map, const Terminal& terminal);
// Tests with their branches, leaves as methods.
std::string terminal_tree(const model::RuleTree& tree, const Terminal& terminal);

// "message \u2264 8K", "ranks \u2264 12", "power of two?", "even message size?"; and the word on
// its low or high branch.
std::string test_text(const model::RuleNode& node);
const char* branch_text(const model::RuleNode& node, bool low);

}  // namespace colltree::report
