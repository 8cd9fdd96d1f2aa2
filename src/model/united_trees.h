// SPDX-License-Identifier: BSD-3-Clause
// Models of one collective each as one tree, for what wants one file: rules of an MPI library.
#pragma once

#include <span>

#include "model/rule_tree.h"

namespace colltree {

// The trees side by side: the same decisions for every collective of each. Throws Error when there
// is none, when two of them decide for the same collective, or when their methods are more than
// 2^16.
RuleTree united(std::span<const RuleTree> trees);

}  // namespace colltree
