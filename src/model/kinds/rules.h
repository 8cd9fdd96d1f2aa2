// SPDX-License-Identifier: BSD-3-Clause
// A model that is a rule tree and nothing more (kind "rules"): decisions that were not fitted by
// this program, such as an MPI library's own compiled rules, or that were put together from others.
#pragma once

#include "model/kind.h"

namespace colltree {

// Throws Error when the tree is not valid. The statistics have a shape for each collective.
Model rules_model(ModelOrigin origin, RuleTree tree);

// One method for every instance of the collective.
RuleTree one_leaf(Collective collective, const Method& method);

extern const Kind kRulesKind;

}  // namespace colltree
