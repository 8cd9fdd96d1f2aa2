// SPDX-License-Identifier: BSD-3-Clause
// A fitted model: a total map from instance to method, with what it was fitted on. One file M.json
// (docs/formats/model.md); one class for each kind of model, listed in one table.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "model/rule_tree.h"

namespace colltree {

// Where a model comes from; the same for every kind.
struct ModelOrigin {
  std::string system;
  std::string provenance;  // "simulated", "measured" or "imported"
  std::vector<Collective> collectives;
  std::uint64_t instances = 0;  // training points
};

class DecisionFunction {
 public:
  virtual ~DecisionFunction() = default;

  virtual std::string kind() const = 0;  // "quadtree", "c45"
  virtual const ModelOrigin& origin() const = 0;
  // The method for any instance; beyond the measured grid the nearest region is extended.
  // Throws Error for a collective that the model does not know.
  virtual Method decide(const Instance& instance) const = 0;
  virtual RuleTree lower() const = 0;
  // Shape and parameters: leaves, nodes, max_depth, mean_depth and what the kind adds.
  virtual nlohmann::json statistics() const = 0;
  virtual nlohmann::json to_json() const = 0;
};

void save_model(const DecisionFunction& model, const std::filesystem::path& path);
// Throws ParseError or Error that names the file.
std::unique_ptr<DecisionFunction> load_model(const std::filesystem::path& path);

}  // namespace colltree
