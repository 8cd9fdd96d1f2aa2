// SPDX-License-Identifier: BSD-3-Clause
// Rule tree -> compact decision file (docs/formats/cdt.md).
#pragma once

#include <string>

#include "model/rule_tree.h"

namespace colltree {

enum class CdtForm : std::uint8_t {
  kAuto,   // a table while it takes at most kTableBudgetBytes, else a tree
  kTree,   // 12 bytes for each test
  kTable,  // one byte for each combination of intervals (two with more than 256 methods)
};

// A page of memory, less what a header, methods and names take.
inline constexpr std::size_t kTableBudgetBytes = 4096 - 512;

// Throws Error: more than 32767 methods or tests, a threshold beyond 2^56 - 2 in a tree, a table of
// more than 2^20 cells.
std::string make_cdt(const RuleTree& tree, const std::string& description, CdtForm form);

}  // namespace colltree
