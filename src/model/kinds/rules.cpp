// SPDX-License-Identifier: BSD-3-Clause
#include "model/kinds/rules.h"

namespace colltree {

Model rules_model(ModelOrigin origin, RuleTree tree) {
  validate(tree);
  Model model{.kind = kRulesKind.name, .origin = std::move(origin), .rules = std::move(tree)};
  model.statistics.shape = total_shape(model.rules);
  for (const RuleTree::Root& root : model.rules.roots) {
    model.statistics.shapes.emplace_back(root.collective, shape(model.rules, root.node));
  }
  return model;
}

RuleTree one_leaf(Collective collective, const Method& method) {
  RuleTree tree;
  append_leaf(tree, index_of_method(tree, method));
  tree.roots = {{collective, 0}};
  return tree;
}

const Kind kRulesKind{.name = "rules"};

}  // namespace colltree
