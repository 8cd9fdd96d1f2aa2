// SPDX-License-Identifier: BSD-3-Clause
// A model that is a rule tree and nothing more (kind "rules"): decisions that were not fitted by
// this program, such as an MPI library's own compiled rules, and the simplest example of a kind.
#pragma once

#include "base/json.h"
#include "model/decision_function.h"
#include "model/kind.h"

namespace colltree {

class RuleModel final : public DecisionFunction {
 public:
  // Throws Error when the tree is not valid.
  RuleModel(ModelOrigin origin, RuleTree tree);

  std::string kind() const override { return "rules"; }
  const ModelOrigin& origin() const override { return origin_; }
  const std::vector<Method>& methods() const override { return tree_.methods; }
  Method decide(const Instance& instance) const override;
  RuleTree lower() const override { return tree_; }
  Json parameters() const override;
  Json statistics() const override;
  Json body() const override;
  void add_statistic(const std::string& name, Json value) override;

 private:
  ModelOrigin origin_;
  RuleTree tree_;
  Json added_ = Json::object();
};

extern const Kind kRulesKind;

// A rule tree without its methods as JSON and back; for kinds whose body is a rule tree. Nodes are
// [attribute, threshold, low, high] or [method].
Json rule_tree_to_json(const RuleTree& tree);
RuleTree rule_tree_from_json(const Json& body, std::vector<Method> methods);

}  // namespace colltree
