// SPDX-License-Identifier: BSD-3-Clause
// Production rules as a model (kind "c45-rules"): made from the unpruned C4.5 tree as c4.5rules
// does (docs/c45.md), tried in order, the first that fires decides. Body in docs/formats/model.md.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "model/c45/rules/rule.h"
#include "model/c45_options.h"
#include "model/decision_function.h"

namespace colltree {

class C45RulesModel final : public DecisionFunction {
 public:
  // Fits. Cost: rules x conditions x instances.
  C45RulesModel(ModelOrigin origin, const std::vector<Timings>& timings, const C45Options& options);
  // From parts, which are validated. Throws Error.
  C45RulesModel(ModelOrigin origin, std::vector<Method> methods, std::vector<C45Feature> features,
                c45::RuleSet rules, const C45Options& options, nlohmann::json statistics);

  std::string kind() const override { return "c45-rules"; }
  const ModelOrigin& origin() const override { return origin_; }
  const std::vector<Method>& methods() const override { return methods_; }
  Method decide(const Instance& instance) const override;
  // Splits along the conditions of the rules in their order until one rule is left to decide.
  RuleTree lower() const override;
  nlohmann::json parameters() const override;
  // "rules" and "conditions" beside the size of the tree they lower to.
  nlohmann::json statistics() const override { return statistics_; }
  nlohmann::json body() const override;
  void add_statistic(const std::string& name, nlohmann::json value) override;

  // As c4.5rules prints them.
  std::string text() const;
  const c45::RuleSet& rules() const { return rules_; }

 private:
  std::size_t collective_value(Collective collective) const;
  bool holds(const c45::Condition& condition, const Instance& instance) const;
  void validate_rules() const;

  ModelOrigin origin_;
  C45Options options_;
  std::vector<Method> methods_;  // by class
  std::vector<C45Feature> features_;
  c45::Schema schema_;
  c45::RuleSet rules_;  // those that can fire
  nlohmann::json statistics_;
};

}  // namespace colltree
