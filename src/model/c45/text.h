// SPDX-License-Identifier: BSD-3-Clause
// A tree for people.
#pragma once

#include <string>

#include "model/c45/tree.h"

namespace colltree::c45 {

// As release 8 and the tables 1 and 5 of the 2006 paper print trees: "message_size <= 512 :",
// "|   communicator_size > 4 : Linear_0K (22.0/3.0)", (cases/errors); in a pruned tree the errors
// are the pessimistic estimate. At each node leaves come first. Subtrees are not cut out as [S1].
// Walks with an explicit stack.
std::string tree_text(const Tree& tree, const Schema& schema);

// "message_size <= 512": the test of one branch.
std::string branch_condition(const Tree& tree, const Node& node, std::uint32_t branch,
                             const Schema& schema);
// "Linear_0K (22.0/3.0)".
std::string leaf_text(const Node& leaf, const Schema& schema);

}  // namespace colltree::c45
