// SPDX-License-Identifier: BSD-3-Clause
#include "model/kind.h"

#include "model/c45_model.h"
#include "model/c45_rules_model.h"
#include "model/optimal/optimal_model.h"
#include "model/quadtree/grid_tree_model.h"
#include "model/rule_model.h"

namespace colltree {

std::span<const Kind* const> kinds() {
  static constexpr const Kind* kKinds[] = {&kQuadtreeKind, &kOctreeKind,  &kKdtreeKind, &kC45Kind,
                                           &kC45RulesKind, &kOptimalKind, &kRulesKind};
  return kKinds;
}

const Kind* find_kind(std::string_view name) {
  for (const Kind* kind : kinds()) {
    if (kind->name == name) return kind;
  }
  return nullptr;
}

}  // namespace colltree
