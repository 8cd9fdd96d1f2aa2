// SPDX-License-Identifier: BSD-3-Clause
// Production rules as a model (kind "c45-rules"): made from the unpruned C4.5 tree as c4.5rules
// does (docs/c45.md), tried in order, the first that fires decides. Body in docs/formats/model.md.
#pragma once

#include <string>

#include "base/json.h"
#include "model/c45/rules/rule.h"
#include "model/c45_based.h"

namespace colltree {

class C45RulesModel final : public C45Based {
 public:
  // Fits. Cost: rules x conditions x instances.
  C45RulesModel(ModelOrigin origin, const std::vector<Timings>& timings, const C45Options& options)
      : C45RulesModel(std::move(origin), make_c45_table(timings, options.features), options) {}
  // From a file. Throws Error.
  explicit C45RulesModel(const StoredModel& stored);

  std::string kind() const override { return "c45-rules"; }
  Method decide(const Instance& instance) const override;
  // Splits along the conditions of the rules in their order until one rule is left to decide.
  // Statistics: "rules" and "conditions" beside the size of this tree.
  RuleTree lower() const override;
  Json body() const override;

  // As c4.5rules prints them.
  std::string text() const;
  const c45::RuleSet& rules() const { return rules_; }

 private:
  C45RulesModel(ModelOrigin origin, const C45Table& table, const C45Options& options);
  std::uint32_t value_of(Collective collective) const;  // values count from 1
  bool holds(const c45::Condition& condition, const Instance& instance) const;
  void validate_rules() const;

  c45::RuleSet rules_;  // those that can fire
};

extern const Kind kC45RulesKind;

}  // namespace colltree
