// SPDX-License-Identifier: BSD-3-Clause
// Bodies of model files of version 1 (docs/formats/model.md), whose kinds kept the tree as they had
// fitted it: read into the rule tree that version 2 holds. Each throws Error that names the place.
#pragma once

#include "model/kind.h"

namespace colltree {

OldBody read_old_grid_tree(const ModelOrigin& origin, std::vector<Method> methods,
                           const Json& body);
OldBody read_old_c45_tree(const ModelOrigin& origin, std::vector<Method> methods, const Json& body);
OldBody read_old_c45_rules(const ModelOrigin& origin, std::vector<Method> methods,
                           const Json& body);

}  // namespace colltree
