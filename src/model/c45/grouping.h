// SPDX-License-Identifier: BSD-3-Clause
// Attribute value grouping (-s): merges the values of a discrete attribute into blocks while the
// gain ratio rises (reference/c45-release8.md, section 4). O(k^3 x classes) for k values.
#pragma once

#include "model/c45/split.h"

namespace colltree::c45 {

// The split into groups at a node whose cases weigh `items`; min_weight is -m.
Split evaluate_groups(const ValueTable& table, float items, float min_weight, bool gain_only);

}  // namespace colltree::c45
