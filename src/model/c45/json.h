// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "model/c45/tree.h"

namespace colltree::c45 {

// A tree as nested JSON objects on one line (docs/formats/c45.md). A node: leaf (class index of the
// label), items, err; inner nodes: att (attribute index), cut (and lower, upper when soft) or
// subsets (value numbers from 1) or neither (one branch for each value), br (branches); leaves:
// dist (class index -> weight). Numbers read back as the same float32.
std::string tree_json(const Tree& tree);

}  // namespace colltree::c45
