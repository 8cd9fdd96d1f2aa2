// SPDX-License-Identifier: BSD-3-Clause
#include "model/c45/rules/make_rules.h"

namespace colltree::c45 {

namespace {

class RuleMaker {
 public:
  RuleMaker(const Schema& schema, const Cases& cases, const RuleOptions& options)
      : schema_(schema),
        cases_(cases),
        options_(options),
        pruner_(schema, cases, options),
        lengths_(schema, cases, options.redundancy) {}

  std::vector<Rule> pruned_rules(const Tree& tree, std::size_t number) {
    std::vector<Rule> rules;
    for (Rule& rule : path_rules(tree, number)) {
      if (pruner_.prune(rule)) add_rule(rules, std::move(rule), options_.strict_r8);
    }
    return rules;
  }

  RuleSet select(std::vector<Rule> rules) {
    for (Rule& rule : rules) rule.bits = lengths_.of(rule);
    const Coverage coverage = coverage_of(rules, cases_);
    std::vector<std::vector<std::size_t>> selected;
    for (std::uint32_t c = 0; c < schema_.classes.size(); ++c) {
      std::vector<std::size_t> candidates;
      for (std::size_t r = 0; r < rules.size(); ++r) {
        if (rules[r].label == c) candidates.push_back(r);
      }
      selected.push_back(
          best_subset(candidates, rules, coverage, cases_, c, options_.subset, random_));
    }
    return order_rules(selected, rules, coverage, cases_, schema_.classes.size());
  }

 private:
  const Schema& schema_;
  const Cases& cases_;
  RuleOptions options_;
  RulePruner pruner_;
  CodeLengths lengths_;
  Random random_;
};

}  // namespace

RulesOfTrees make_rules(const std::vector<const Tree*>& trees, const Schema& schema,
                        const Cases& cases, const RuleOptions& options) {
  RuleMaker maker(schema, cases, options);
  RulesOfTrees result;
  std::vector<Rule> pool;
  for (std::size_t t = 0; t < trees.size(); ++t) {
    result.sets.push_back(maker.select(maker.pruned_rules(*trees[t], t)));
    for (const Rule& rule : result.sets.back().rules) add_rule(pool, rule, options.strict_r8);
  }
  result.final_set = trees.size() == 1 ? result.sets[0] : maker.select(std::move(pool));
  return result;
}

}  // namespace colltree::c45
