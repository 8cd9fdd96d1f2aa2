// SPDX-License-Identifier: BSD-3-Clause
// What release 8 prints of a run: sizes, errors on the training and test cases, the pessimistic
// estimate, and the report of c4.5rules.
#pragma once

#include <optional>
#include <string>

#include "engine/rules/rules.h"
#include "release8/training.h"

namespace colltree::c45 {

// Of one tree on some cases.
struct TreeFigures {
  TreeSize size;
  std::size_t errors = 0;
  std::vector<std::uint32_t> answers;  // by case: class index
};

TreeFigures figures_of(const Tree& tree, const Schema& schema, const Cases& cases);

// 100 x pessimistic errors / cases at the root of a pruned tree, in float32 as release 8.
float estimate_percent(const Tree& pruned);

// One object: nodes_before, leaves_before, errors_before, nodes_after, leaves_after, errors_after,
// estimate_pct, the trials of a windowed run, the trees and each case's answer
// (docs/reference/formats/c45.md). `test` may be null.
std::string summary_json(const Dataset& data, const Training& training,
                         const Cases* test = nullptr);

// What `colltree-c45` prints: the trees and the table of sizes, errors and estimate, as release 8.
std::string report_text(const Dataset& data, const Training& training, const std::string& stem,
                        const Cases* test = nullptr);

// The report of c4.5rules: each set, then the evaluation on training and test cases (`test` may be
// null), in which harmful rules are dropped.
std::string rules_report(RulesOfTrees rules, const Schema& schema, const Cases& cases,
                         const Cases* test);

}  // namespace colltree::c45
