// SPDX-License-Identifier: BSD-3-Clause
// Writes a rule tree as a compact decision file (docs/reference/formats/cdt.md).
#pragma once

#include <string>

#include "emit/emitter.h"
#include "model/rule_tree.h"

namespace colltree::emit {

enum class CdtForm : std::uint8_t {
  kAuto,   // a table up to kTableBudgetBytes or where a tree cannot be, else a tree
  kTree,   // 12 bytes for each test
  kTable,  // one byte for each combination of intervals (two with more than 256 methods)
};

// The size of a first-level cache. A table up to this size always decides in the same time, whereas
// a tree pays for every level.
inline constexpr std::size_t kTableBudgetBytes = 32 << 10;

struct CdtOrigin {
  std::string description;  // one line
  std::string provenance;   // this and the rest as in ModelOrigin; "" = not known
  std::string algorithms;
  std::string mpi;
};

// Throws Error for more than 32767 methods or tests, a threshold beyond 2^56 - 2 in a tree, or a
// table of more than 2^20 cells.
std::string make_cdt(const model::RuleTree& tree, const CdtOrigin& origin, CdtForm form);

// The emitter (emitter.h) of each form.
std::string emit_cdt(CdtForm form, const model::Model& model, const EmitOptions& options);

}  // namespace colltree::emit
