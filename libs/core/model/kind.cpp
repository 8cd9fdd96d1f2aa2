// SPDX-License-Identifier: BSD-3-Clause
#include "model/kind.h"

#include "model/kinds/c45_rules.h"
#include "model/kinds/c45_tree.h"
#include "model/kinds/optimal.h"
#include "model/kinds/quadtree.h"

namespace colltree::model {

namespace {

constexpr Kind kRulesKind{.name = "rules"};  // what rules_model makes

}  // namespace

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

}  // namespace colltree::model
