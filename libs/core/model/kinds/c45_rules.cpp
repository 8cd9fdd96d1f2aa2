// SPDX-License-Identifier: BSD-3-Clause
#include "model/kinds/c45_rules.h"

#include <algorithm>

#include "model/rule_tree.h"

namespace colltree::model {

namespace {

RuleCounts counts_of(const c45::RuleSet& set, std::size_t errors, std::size_t cases) {
  RuleCounts counts{.rules = set.rules.size(),
                    .errors = errors,
                    .error_rate = static_cast<double>(errors) / static_cast<double>(cases)};
  for (const c45::Rule& rule : set.rules) counts.conditions += rule.conditions.size();
  return counts;
}

// The conditions of a rule that remain for a known collective; nothing: it cannot fire there.
std::optional<BoundedRule> bounded(const c45::Rule& rule, const std::vector<C45Feature>& features,
                                   std::uint32_t collective) {
  BoundedRule result{.bounds = {}, .method = static_cast<std::uint16_t>(rule.label)};
  for (const c45::Condition& condition : rule.conditions) {
    if (condition.kind == c45::ConditionKind::kThreshold) {
      auto test = integer_test(features[condition.attribute], condition.cut);
      if (test) {
        test->above = condition.above;
        result.bounds.push_back(*test);
      } else if (!condition.above) {
        return std::nullopt;  // not even 0 is small enough
      }
      continue;
    }
    const bool here = condition.kind == c45::ConditionKind::kValue
                          ? condition.value == collective
                          : std::ranges::binary_search(condition.values, collective);
    if (!here) return std::nullopt;
  }
  return result;
}

}  // namespace

RuleTree lower(const c45::RuleSet& rules, const C45Vocabulary& words) {
  RuleTree tree{.methods = words.methods, .roots = {}, .nodes = {}};
  const auto otherwise = static_cast<std::uint16_t>(rules.default_label);
  for (std::uint32_t c = 0; c < words.collectives.size(); ++c) {
    std::vector<BoundedRule> left;
    for (const c45::Rule& rule : rules.rules) {
      if (auto remaining = bounded(rule, words.features, c + 1))
        left.push_back(std::move(*remaining));
    }
    tree.roots.push_back({words.collectives[c], append_first_match(tree, left, otherwise)});
  }
  return tree;
}

Model fit_c45_rules(const std::vector<Timings>& timings, const C45Options& options) {
  const C45Table table = make_c45_table(timings, options.features);
  const c45::Trial trial = c45::fit_tree(table.schema, table.cases, options.tree);
  c45::RuleOptions how;
  how.confidence_percent = options.tree.confidence_percent;
  c45::RuleSet rules = c45::make_rules({&trial.grown}, table.schema, table.cases, how).final_set;
  const std::size_t errors = c45::drop_harmful_rules(rules, table.cases);
  // A rule whose error is too high can never fire.
  std::erase_if(rules.rules, [](const c45::Rule& rule) { return rule.error > c45::kMostError; });
  Model model{.kind = kC45RulesKind.name,
              .origin = origin_of(timings),
              .parameters = parameters_of(options),
              .rules = lower(rules, table),
              .text = c45::rules_text(rules, table.schema)};
  model.statistics = {.shape = total_shape(model.rules),
                      .rules = counts_of(rules, errors, table.cases.size())};
  return model;
}

const Kind kC45RulesKind{"c45-rules", "production rules of a C4.5 tree", c45_parameters(),
                         [](const std::vector<Timings>& timings, const Parameters& parameters) {
                           return fit_c45_rules(timings, c45_options(parameters));
                         },
                         "c45-rules"};

}  // namespace colltree::model
