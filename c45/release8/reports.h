// SPDX-License-Identifier: BSD-3-Clause
// What release 8 prints of a run: sizes, errors on the training and test cases, the pessimistic
// estimate, and the report of c4.5rules. Trees and rules as C, Graphviz and JSON.
#pragma once

#include <string>
#include <string_view>

#include "engine/rules/rules.h"
#include "release8/training.h"

namespace colltree::c45 {

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

// Trees and rules as source (source.cpp). All writers walk with an explicit stack.

// A C function `int NAME(float continuous, int discrete, ...)` with one parameter for each
// attribute that is not ignored, in declaration order; a discrete argument is a value number from
// 1; the result is a class index. NAME_classes holds the class names.
std::string tree_c(const Tree& tree, const Schema& schema, std::string_view function);
std::string rules_c(const RuleSet& set, const Schema& schema, std::string_view function);

// Graphviz.
std::string tree_dot(const Tree& tree, const Schema& schema);

// A tree as nested JSON objects on one line (docs/reference/formats/c45.md). A node: leaf (class
// index of the label), items, err; inner nodes: att (attribute index), cut (and lower, upper when
// soft) or subsets (value numbers from 1) or neither (one branch for each value), br (branches);
// leaves: dist (class index -> weight). Numbers read back as the same float32.
std::string tree_json(const Tree& tree);

}  // namespace colltree::c45
