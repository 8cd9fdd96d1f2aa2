// SPDX-License-Identifier: BSD-3-Clause
#include "model/c45_rules_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "model/c45/rules/make_rules.h"
#include "model/c45/train.h"
#include "model/first_match.h"

namespace colltree {

using nlohmann::json;

namespace {

json statistics_of(const c45::RuleSet& set, const RuleTree& tree, std::size_t errors,
                   std::size_t cases) {
  const TreeShape all = total_shape(tree);
  std::size_t conditions = 0;
  for (const c45::Rule& rule : set.rules) conditions += rule.conditions.size();
  return {{"rules", set.rules.size()},
          {"conditions", conditions},
          {"leaves", all.leaves},
          {"nodes", all.nodes},
          {"max_depth", all.max_depth},
          {"mean_depth", all.mean_depth},
          {"errors", errors},
          {"error_rate", static_cast<double>(errors) / static_cast<double>(cases)}};
}

// What of a rule is left when the collective is known; nothing when it cannot fire there.
std::optional<BoundedRule> bounded(const c45::Rule& rule, const std::vector<C45Feature>& features,
                                   std::uint32_t collective) {
  BoundedRule result{.bounds = {}, .method = static_cast<std::uint16_t>(rule.label)};
  for (const c45::Condition& condition : rule.conditions) {
    if (condition.kind == c45::ConditionKind::kThreshold) {
      const auto test = integer_test(features[condition.attribute], condition.cut);
      if (test) {
        result.bounds.push_back({test->attribute, test->threshold, condition.above});
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

C45RulesModel::C45RulesModel(ModelOrigin origin, const std::vector<Timings>& timings,
                             const C45Options& options)
    : origin_(std::move(origin)), options_(options) {
  C45Table table = make_c45_table(timings, options.features);
  c45::TrainOptions train;
  train.grow.weight = options.weight;
  train.grow.gain_only = options.gain_only;
  train.grow.group = options.group;
  const c45::Training training = c45::train(table.schema, table.cases, train);
  c45::RuleOptions how;
  how.confidence_percent = options.confidence_level;
  rules_ = c45::make_rules({&training.trials[0].grown}, table.schema, table.cases, how).final_set;
  const c45::RuleEvaluation evaluation = c45::drop_harmful_rules(rules_, table.cases);
  std::erase_if(rules_.rules, [](const c45::Rule& rule) { return rule.error > c45::kMostError; });
  methods_ = std::move(table.methods);
  features_ = std::move(table.features);
  schema_ = std::move(table.schema);
  statistics_ = statistics_of(rules_, lower(), evaluation.errors, table.cases.size());
}

C45RulesModel::C45RulesModel(ModelOrigin origin, std::vector<Method> methods,
                             std::vector<C45Feature> features, c45::RuleSet rules,
                             const C45Options& options, json statistics)
    : origin_(std::move(origin)),
      options_(options),
      methods_(std::move(methods)),
      features_(std::move(features)),
      schema_(c45_schema(features_, origin_.collectives, methods_)),
      rules_(std::move(rules)),
      statistics_(std::move(statistics)) {
  validate_rules();
}

void C45RulesModel::validate_rules() const {
  const auto method = [&](std::uint32_t label, const std::string& where) {
    if (label < methods_.size()) return;
    throw Error(fmt::format("{}: method {} of {}", where, label, methods_.size()));
  };
  method(rules_.default_label, "'default'");
  for (std::size_t i = 0; i < rules_.rules.size(); ++i) {
    method(rules_.rules[i].label, fmt::format("rule {}", i));
    for (const c45::Condition& condition : rules_.rules[i].conditions) {
      if (condition.attribute >= features_.size()) {
        throw Error(
            fmt::format("rule {}: attribute {} of {}", i, condition.attribute, features_.size()));
      }
      const bool discrete = features_[condition.attribute] == C45Feature::kCollective;
      if (discrete == (condition.kind == c45::ConditionKind::kThreshold)) {
        throw Error(fmt::format("rule {}: the condition does not fit the attribute", i));
      }
    }
  }
}

std::size_t C45RulesModel::collective_value(Collective collective) const {
  const auto found = std::ranges::find(origin_.collectives, collective);
  if (found == origin_.collectives.end()) {
    throw Error(fmt::format("the model does not decide for {}", name(collective)));
  }
  return static_cast<std::size_t>(found - origin_.collectives.begin()) + 1;
}

bool C45RulesModel::holds(const c45::Condition& condition, const Instance& instance) const {
  const C45Feature feature = features_[condition.attribute];
  if (condition.kind == c45::ConditionKind::kThreshold) {
    return (feature_value(feature, instance) > condition.cut) == condition.above;
  }
  const auto value = static_cast<std::uint32_t>(collective_value(instance.collective));
  return condition.kind == c45::ConditionKind::kValue
             ? condition.value == value
             : std::ranges::binary_search(condition.values, value);
}

Method C45RulesModel::decide(const Instance& instance) const {
  collective_value(instance.collective);  // known, or throws
  for (const c45::Rule& rule : rules_.rules) {
    const bool fires = std::ranges::all_of(rule.conditions, [&](const c45::Condition& condition) {
      return holds(condition, instance);
    });
    if (fires) return methods_[rule.label];
  }
  return methods_[rules_.default_label];
}

RuleTree C45RulesModel::lower() const {
  RuleTree tree{.methods = methods_, .roots = {}, .nodes = {}};
  for (const Collective collective : origin_.collectives) {
    const auto value = static_cast<std::uint32_t>(collective_value(collective));
    std::vector<BoundedRule> left;
    for (const c45::Rule& rule : rules_.rules) {
      if (auto one = bounded(rule, features_, value)) left.push_back(std::move(*one));
    }
    const auto otherwise = static_cast<std::uint16_t>(rules_.default_label);
    tree.roots.push_back({collective, append_first_match(tree, left, otherwise)});
  }
  return tree;
}

void C45RulesModel::add_statistic(const std::string& name, json value) {
  statistics_[name] = std::move(value);
}

std::string C45RulesModel::text() const { return c45::rules_text(rules_, schema_); }

}  // namespace colltree
