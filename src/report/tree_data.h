// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/json.h"
#include "model/rule_tree.h"
#include "report/method_index.h"

namespace colltree {

// The tree under the collective's root, as an array whose first node is the root; children come
// after their parents: [attribute, threshold, low, high] (value <= threshold goes to low) or, of a
// leaf, [method].
Json tree_json(const RuleTree& tree, Collective collective, MethodIndex& index);

}  // namespace colltree
