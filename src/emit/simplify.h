// SPDX-License-Identifier: BSD-3-Clause
// Rule tree -> smaller or faster rule tree that decides the same everywhere.
#pragma once

#include <span>

#include "model/rule_tree.h"
#include "timings/call_mix.h"

namespace colltree {

// Drops tests that the tests above have already answered, tests of which both sides are equal, and
// nodes that no root reaches. Keeps the order of tests. The result is a tree, roots in order.
RuleTree simplify(const RuleTree& tree);

// The regions of the tree, divided anew on its own thresholds so that regions of one method merge
// and, with a mix, frequent instances need few tests. Each collective keeps its old tests where the
// new ones would not be fewer (expected number with a mix, leaves without).
// Cost: cells x thresholds for each level, about a second for 2^14 cells; a collective with more,
// or with tests on more than three attributes, is only simplified.
RuleTree merge_regions(const RuleTree& tree, std::span<const CallCount> mix = {});

// Mean number of tests on the way to a leaf over the calls of one collective; 0 without calls.
double expected_tests(const RuleTree& tree, std::uint32_t root, Collective collective,
                      std::span<const CallCount> mix);

}  // namespace colltree
