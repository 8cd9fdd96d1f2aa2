// SPDX-License-Identifier: BSD-3-Clause
// The public header as a caller uses it: fits a tree and rules to a table of cases, decides by
// them, and walks through the tree. The test c45.example knows what it prints.
#include <iostream>

#include "colltree/c45.hpp"

namespace {

namespace c45 = colltree::c45;

// Which algorithm was fastest: binomial up to 1024 bytes, above it depends on the collective.
c45::Cases measured_cases(const c45::Schema& schema) {
  c45::Cases cases = c45::empty_cases(schema);
  for (std::uint32_t collective : {1U, 2U}) {
    for (int power = 0; power <= 20; ++power) {
      cases.values[0].push_back(collective);
      cases.numbers[1].push_back(static_cast<float>(1 << power));
      cases.label.push_back(power <= 10 ? 0U : collective);
    }
  }
  return cases;
}

// The label of the leaf for one row, found by hand.
std::string decide(const c45::Tree& tree, const c45::Schema& schema, std::uint32_t collective,
                   float bytes) {
  const c45::Node* node = &tree.nodes[0];
  while (!node->is_leaf()) {
    const std::uint32_t branch = node->test == c45::TestKind::kThreshold
                                     ? (bytes <= node->cut ? 0 : 1)
                                     : c45::branch_of_value(tree, *node, collective);
    if (branch == c45::kNoBranch) break;
    node = &tree.nodes[tree.branches(*node)[branch]];
  }
  return schema.classes[node->label];
}

}  // namespace

int main() {
  const c45::Schema schema{.classes = {"binomial", "linear", "pipeline"},
                           .attributes = {{.name = "collective",
                                           .kind = c45::AttributeKind::kDiscrete,
                                           .values = {"bcast", "reduce"}},
                                          {.name = "bytes"}}};
  const c45::Cases cases = measured_cases(schema);

  const c45::Trial trial = c45::fit_tree(schema, cases, {.weight = 2, .confidence_percent = 25});
  std::cout << c45::tree_text(trial.pruned, schema);
  const std::vector<std::uint32_t> answers = c45::classify(trial.pruned, schema, cases);
  std::cout << c45::size_of(trial.pruned).leaves << " leaves, " << c45::count_errors(answers, cases)
            << " errors; reduce of 4096 bytes: " << decide(trial.pruned, schema, 2, 4096) << "\n\n";

  c45::RuleSet rules = c45::make_rules({&trial.grown}, schema, cases, {}).final_set;
  c45::drop_harmful_rules(rules, cases);
  std::cout << c45::rules_text(rules, schema);

  // Decides a new case by the rules.
  c45::Cases fresh = c45::empty_cases(schema);
  fresh.values[0] = {1};
  fresh.numbers[1] = {65536};
  fresh.label = {0};
  std::cout << "bcast of 65536 bytes: " << schema.classes[c45::classify(rules, fresh)[0]] << "\n";
}
