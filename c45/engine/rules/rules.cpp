// SPDX-License-Identifier: BSD-3-Clause
#include "engine/rules/rules.h"

#include <fmt/core.h>

namespace colltree::c45 {

namespace {

// The cases that one of these rules covers.
std::vector<bool> cases_of(const std::vector<std::size_t>& rules, const Coverage& coverage,
                           std::size_t cases) {
  std::vector<bool> taken(cases, false);
  for (const std::size_t r : rules) {
    for (std::size_t id = 0; id < cases; ++id) {
      if (coverage[r][id]) taken[id] = true;
    }
  }
  return taken;
}

// Cases of other classes that a class's rules would take among those still uncovered.
std::size_t false_positives(const std::vector<bool>& taken, const Cases& cases, std::uint32_t label,
                            const std::vector<bool>& covered) {
  std::size_t wrong = 0;
  for (std::uint32_t id = 0; id < cases.size(); ++id) {
    wrong += taken[id] && !covered[id] && cases.label[id] != label;
  }
  return wrong;
}

void append_by_error(const std::vector<std::size_t>& chosen, std::span<const Rule> rules,
                     RuleSet& set) {
  std::vector<std::size_t> order = chosen;
  std::ranges::stable_sort(order, {}, [&](std::size_t r) { return rules[r].error; });
  for (const std::size_t r : order) set.rules.push_back(rules[r]);
}

std::uint32_t choose_default(const Cases& cases, const std::vector<bool>& covered,
                             std::size_t classes) {
  std::vector<std::size_t> left(classes, 0);
  std::vector<std::size_t> all(classes, 0);
  for (std::uint32_t id = 0; id < cases.size(); ++id) {
    ++all[cases.label[id]];
    if (!covered[id]) ++left[cases.label[id]];
  }
  std::uint32_t best = 0;
  for (std::uint32_t c = 1; c < classes; ++c) {
    if (left[c] > left[best] || (left[c] == left[best] && all[c] > all[best])) best = c;
  }
  return best;
}

// Puts the selected rules in order and picks the default class.
RuleSet order_rules(const std::vector<std::vector<std::size_t>>& selected,
                    std::span<const Rule> rules, const Coverage& coverage, const Cases& cases,
                    std::size_t classes) {
  RuleSet set;
  std::vector<std::vector<bool>> taken;
  for (std::size_t c = 0; c < classes; ++c) {
    taken.push_back(cases_of(selected[c], coverage, cases.size()));
  }
  std::vector<bool> covered(cases.size(), false);
  std::vector<bool> done(classes, false);
  for (std::size_t round = 0; round < classes; ++round) {
    std::uint32_t best = 0;
    std::size_t fewest = cases.size() + 1;
    for (std::uint32_t c = 0; c < classes; ++c) {
      if (done[c]) continue;
      const std::size_t wrong = false_positives(taken[c], cases, c, covered);
      if (wrong < fewest) {
        fewest = wrong;
        best = c;
      }
    }
    done[best] = true;
    append_by_error(selected[best], rules, set);
    for (std::size_t id = 0; id < cases.size(); ++id) {
      if (taken[best][id]) covered[id] = true;
    }
  }
  set.default_label = choose_default(cases, covered, classes);
  return set;
}

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
      selected.push_back(best_subset(candidates, rules, coverage, cases_, c, random_));
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

bool fires(const Rule& rule, const Cases& cases, std::uint32_t id) {
  return rule.error <= kMostError && covers(rule, cases, id);
}

// What would be said without rule `first`.
std::uint32_t alternative(const RuleSet& set, std::size_t first, const Cases& cases,
                          std::uint32_t id) {
  for (std::size_t r = first + 1; r < set.rules.size(); ++r) {
    if (fires(set.rules[r], cases, id)) return set.rules[r].label;
  }
  return set.default_label;
}

std::string condition_text(const Condition& condition, const Schema& schema) {
  const Attribute& attribute = schema.attributes[condition.attribute];
  switch (condition.kind) {
    case ConditionKind::kThreshold:
      return fmt::format("{} {} {:g}", attribute.name, condition.above ? ">" : "<=", condition.cut);
    case ConditionKind::kValue:
      return fmt::format("{} = {}", attribute.name, attribute.values[condition.value - 1]);
    case ConditionKind::kGroup:
      break;
  }
  if (condition.values.size() == 1) {
    return fmt::format("{} = {}", attribute.name, attribute.values[condition.values[0] - 1]);
  }
  std::string names;
  for (const std::uint32_t v : condition.values) {
    if (!names.empty()) names += ", ";
    names += attribute.values[v - 1];
  }
  return fmt::format("{} in {{{}}}", attribute.name, names);
}

}  // namespace

RuleEvaluation evaluate_rules(const RuleSet& set, const Cases& cases) {
  RuleEvaluation evaluation;
  evaluation.rules.resize(set.rules.size());
  for (std::uint32_t id = 0; id < cases.size(); ++id) {
    std::size_t r = 0;
    while (r < set.rules.size() && !fires(set.rules[r], cases, id)) ++r;
    const bool decided = r < set.rules.size();
    const std::uint32_t answer = decided ? set.rules[r].label : set.default_label;
    const bool wrong = answer != cases.label[id];
    evaluation.answers.push_back(answer);
    evaluation.errors += wrong;
    if (!decided) continue;
    RuleUse& use = evaluation.rules[r];
    ++use.used;
    use.wrong += wrong;
    const bool other_right = alternative(set, r, cases, id) == cases.label[id];
    use.better += !wrong && !other_right;
    use.worse += wrong && other_right;
  }
  return evaluation;
}

std::optional<std::size_t> harmful_rule(const RuleEvaluation& evaluation) {
  const auto found = std::ranges::find_if(
      evaluation.rules, [](const RuleUse& use) { return use.worse > use.better; });
  if (found == evaluation.rules.end()) return std::nullopt;
  return static_cast<std::size_t>(found - evaluation.rules.begin());
}

std::size_t drop_harmful_rules(RuleSet& set, const Cases& cases) {
  for (;;) {
    const RuleEvaluation evaluation = evaluate_rules(set, cases);
    const std::optional<std::size_t> harmful = harmful_rule(evaluation);
    if (!harmful) return evaluation.errors;
    set.rules.erase(set.rules.begin() + static_cast<std::ptrdiff_t>(*harmful));
  }
}

std::vector<std::uint32_t> classify(const RuleSet& set, const Cases& cases) {
  return evaluate_rules(set, cases).answers;
}

std::string rules_text(const RuleSet& set, const Schema& schema) {
  std::string out;
  for (const Rule& rule : set.rules) {
    out += fmt::format("Rule {}:\n", rule.number);
    for (const Condition& condition : rule.conditions) {
      out += fmt::format("    \t{}\n", condition_text(condition, schema));
    }
    out += fmt::format("\t->  class {}  [{:.1f}%]\n\n", schema.classes[rule.label],
                       100 * (1 - rule.error));
  }
  return out + fmt::format("Default class: {}\n", schema.classes[set.default_label]);
}

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
