// SPDX-License-Identifier: BSD-3-Clause
#include "model/c45_rules_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/json.h"
#include "model/c45/rules/make_rules.h"
#include "model/c45/rules/rules_text.h"
#include "model/c45/train.h"
#include "model/first_match.h"
#include "model/json_fields.h"
#include "model/kind.h"

namespace colltree {

namespace {

Json statistics_of(const c45::RuleSet& set, const RuleTree& tree, std::size_t errors,
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

C45RulesModel::C45RulesModel(ModelOrigin origin, const C45Table& table, const C45Options& options)
    : C45Based(std::move(origin), table, options) {
  const c45::Training training = train(table, options);
  c45::RuleOptions how;
  how.confidence_percent = options.confidence_level;
  rules_ = c45::make_rules({&training.trials[0].grown}, table.schema, table.cases, how).final_set;
  const c45::RuleEvaluation evaluation = c45::drop_harmful_rules(rules_, table.cases);
  std::erase_if(rules_.rules, [](const c45::Rule& rule) { return rule.error > c45::kMostError; });
  set_statistics(statistics_of(rules_, lower(), evaluation.errors, table.cases.size()));
}

void C45RulesModel::validate_rules() const {
  check_method("'default'", rules_.default_label);
  for (std::size_t i = 0; i < rules_.rules.size(); ++i) {
    const std::string where = fmt::format("rule {}", i);
    check_method(where, rules_.rules[i].label);
    for (const c45::Condition& condition : rules_.rules[i].conditions) {
      const bool is_threshold = condition.kind == c45::ConditionKind::kThreshold;
      check_test(where, condition.attribute, is_threshold, "condition");
    }
  }
}

std::uint32_t C45RulesModel::value_of(Collective collective) const {
  return static_cast<std::uint32_t>(index_of(collective)) + 1;
}

bool C45RulesModel::holds(const c45::Condition& condition, const Instance& instance) const {
  const C45Feature feature = features()[condition.attribute];
  if (condition.kind == c45::ConditionKind::kThreshold) {
    return (feature_value(feature, instance) > condition.cut) == condition.above;
  }
  const auto value = value_of(instance.collective);
  return condition.kind == c45::ConditionKind::kValue
             ? condition.value == value
             : std::ranges::binary_search(condition.values, value);
}

Method C45RulesModel::decide(const Instance& instance) const {
  index_of(instance.collective);  // known, or throws
  for (const c45::Rule& rule : rules_.rules) {
    const bool fires = std::ranges::all_of(rule.conditions, [&](const c45::Condition& condition) {
      return holds(condition, instance);
    });
    if (fires) return methods()[rule.label];
  }
  return methods()[rules_.default_label];
}

RuleTree C45RulesModel::lower() const {
  RuleTree tree{.methods = methods(), .roots = {}, .nodes = {}};
  for (const Collective collective : origin().collectives) {
    const auto value = value_of(collective);
    std::vector<BoundedRule> left;
    for (const c45::Rule& rule : rules_.rules) {
      if (auto one = bounded(rule, features(), value)) left.push_back(std::move(*one));
    }
    const auto otherwise = static_cast<std::uint16_t>(rules_.default_label);
    tree.roots.push_back({collective, append_first_match(tree, left, otherwise)});
  }
  return tree;
}

std::string C45RulesModel::text() const { return c45::rules_text(rules_, schema()); }

namespace {

Json condition_to_json(const c45::Condition& condition) {
  Json value = {{"attribute", condition.attribute}};
  if (condition.kind == c45::ConditionKind::kThreshold) {
    value[condition.above ? "above" : "at_most"] = condition.cut;
  } else if (condition.kind == c45::ConditionKind::kValue) {
    value["values"] = {condition.value};
  } else {
    value["values"] = condition.values;
  }
  return value;
}

c45::Condition read_condition(const Json& value, std::size_t collectives) {
  c45::Condition condition;
  condition.attribute = static_cast<std::uint32_t>(json_unsigned(value, "attribute", 0xFFFFFFFE));
  if (value.contains("values")) {
    condition.kind = c45::ConditionKind::kGroup;
    for (const std::uint64_t one : json_unsigned_list(value, "values", collectives)) {
      if (one == 0) throw Error("'values' count from 1");
      condition.values.push_back(static_cast<std::uint32_t>(one));
    }
    std::ranges::sort(condition.values);
    if (condition.values.size() == 1) {
      condition.kind = c45::ConditionKind::kValue;
      condition.value = condition.values[0];
    }
    return condition;
  }
  condition.above = value.contains("above");
  condition.cut = static_cast<float>(json_number(value, condition.above ? "above" : "at_most"));
  return condition;
}

}  // namespace

Json C45RulesModel::body() const {
  Json rules = Json::array();
  for (const c45::Rule& rule : rules_.rules) {
    Json conditions = Json::array();
    for (const c45::Condition& one : rule.conditions) conditions.push_back(condition_to_json(one));
    rules.push_back({{"number", rule.number},
                     {"method", rule.label},
                     {"error_rate", rule.error},
                     {"conditions", conditions}});
  }
  return {{"attributes", attributes_json()}, {"rules", rules}, {"default", rules_.default_label}};
}

C45RulesModel::C45RulesModel(const StoredModel& stored) : C45Based(stored) {
  rules_.default_label =
      static_cast<std::uint32_t>(json_unsigned(stored.body, "default", 0xFFFFFFFE));
  json_each(stored.body, "rules", [&](const Json& value) {
    c45::Rule rule;
    rule.number = static_cast<std::uint32_t>(json_unsigned(value, "number", 0xFFFFFFFE));
    rule.label = static_cast<std::uint32_t>(json_unsigned(value, "method", 0xFFFFFFFE));
    rule.error = static_cast<float>(json_number(value, "error_rate"));
    json_each(value, "conditions", [&](const Json& one) {
      rule.conditions.push_back(read_condition(one, stored.origin.collectives.size()));
    });
    rules_.rules.push_back(std::move(rule));
  });
  validate_rules();
}

const Kind kC45RulesKind = c45_kind<C45RulesModel>("c45-rules", "production rules of a C4.5 tree");

}  // namespace colltree
