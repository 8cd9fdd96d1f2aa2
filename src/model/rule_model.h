// SPDX-License-Identifier: BSD-3-Clause
// A model that is a rule tree and nothing more (kind "rules"): decisions that were not fitted by
// this program, such as an MPI library's own compiled rules, and the simplest example of a kind.
#pragma once

#include "model/decision_function.h"
#include "model/model_kind.h"

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
  nlohmann::json parameters() const override;
  nlohmann::json statistics() const override;
  nlohmann::json body() const override;
  void add_statistic(const std::string& name, nlohmann::json value) override;

 private:
  ModelOrigin origin_;
  RuleTree tree_;
  nlohmann::json added_ = nlohmann::json::object();
};

// A rule tree without its methods as JSON and back; for kinds whose body is a rule tree. Nodes are
// [attribute, threshold, low, high] or [method].
nlohmann::json rule_tree_to_json(const RuleTree& tree);
RuleTree rule_tree_from_json(const nlohmann::json& body, std::vector<Method> methods);

}  // namespace colltree
