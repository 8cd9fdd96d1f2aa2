// SPDX-License-Identifier: BSD-3-Clause
// The body of production rules in M.json, and back.
#include <algorithm>

#include "base/error.h"
#include "base/json.h"
#include "model/c45_rules_model.h"
#include "model/json_fields.h"
#include "model/model_kind.h"

namespace colltree {

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

std::unique_ptr<DecisionFunction> read_c45_rules(StoredModel stored) {
  return std::make_unique<C45RulesModel>(stored);
}

std::unique_ptr<DecisionFunction> fit_c45_rules(const std::vector<Timings>& timings,
                                                const Json& parameters) {
  return std::make_unique<C45RulesModel>(origin_of(timings), timings, read_c45_options(parameters));
}

}  // namespace colltree
