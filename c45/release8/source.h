// SPDX-License-Identifier: BSD-3-Clause
// Trees and rules as source: C, Graphviz, JSON. All writers walk with an explicit stack.
#pragma once

#include <string>
#include <string_view>

#include "colltree/c45.hpp"

namespace colltree::c45 {

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
