// SPDX-License-Identifier: BSD-3-Clause
// A tree for people, and as source. All writers walk with an explicit stack.
#pragma once

#include <string>
#include <string_view>

#include "model/c45/tree.h"

namespace colltree::c45 {

// As release 8 and the tables 1 and 5 of the 2006 paper print trees: "message_size <= 512 :",
// "|   communicator_size > 4 : Linear_0K (22.0/3.0)", (cases/errors); in a pruned tree the errors
// are the pessimistic estimate. At each node leaves come first. Subtrees are not cut out as [S1].
std::string tree_text(const Tree& tree, const Schema& schema);

// A C function `int NAME(float continuous, int discrete, ...)` with one parameter for each
// attribute that is not ignored, in declaration order; a discrete argument is a value number from
// 1; the result is a class index. NAME_classes holds the class names.
std::string tree_c(const Tree& tree, const Schema& schema, std::string_view function);

// Graphviz.
std::string tree_dot(const Tree& tree, const Schema& schema);

// "message_size <= 512": the test of one branch.
std::string branch_condition(const Tree& tree, const Node& node, std::uint32_t branch,
                             const Schema& schema);
// "Linear_0K (22.0/3.0)".
std::string leaf_text(const Node& leaf, const Schema& schema);
// A name as part of a C identifier.
std::string identifier(std::string_view name);
// `FUNCTION_classes` and the head of the C function that answers with an index into it.
std::string c_classes_and_signature(const Schema& schema, std::string_view function);
// A float32 as a C literal, exactly.
std::string c_float(float value);

// A tree as nested JSON objects on one line (docs/formats/c45.md). A node: leaf (class index of the
// label), items, err; inner nodes: att (attribute index), cut (and lower, upper when soft) or
// subsets (value numbers from 1) or neither (one branch for each value), br (branches); leaves:
// dist (class index -> weight). Numbers read back as the same float32.
std::string tree_json(const Tree& tree);

}  // namespace colltree::c45
