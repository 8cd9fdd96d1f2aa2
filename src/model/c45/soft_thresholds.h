// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/c45/tree.h"

namespace colltree::c45 {

// Soft thresholds (-p): sets lower and upper of every threshold test to where the errors rise one
// standard error above those of the cut itself (reference/c45-release8.md, section 11). Only the
// cases that reach a node by known values count. Classification keeps the hard cut, as release 8's
// own evaluation does. O(depth) classifications for each case.
void set_soft_thresholds(Tree& tree, const Schema& schema, const Cases& cases);

}  // namespace colltree::c45
