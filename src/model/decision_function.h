// SPDX-License-Identifier: BSD-3-Clause
// A fitted model: a total map from instance to method, with what it was fitted on. One file M.json
// (docs/formats/model.md); one class for each kind of model, listed in one table (kind.cpp).
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "model/rule_tree.h"
#include "timings/timings.h"

namespace colltree {

// Where a model comes from; the same for every kind.
struct ModelOrigin {
  std::string system;
  std::string provenance;  // "simulated", "measured" or "imported"
  std::vector<Collective> collectives;
  std::uint64_t instances = 0;  // training points
  std::string timings;          // hash_of what the model was fitted to; "": not known

  bool operator==(const ModelOrigin&) const = default;
};

// Of a model that is fitted to these timings, one table for each collective.
ModelOrigin origin_of(const std::vector<Timings>& timings);

class DecisionFunction {
 public:
  virtual ~DecisionFunction() = default;

  virtual std::string kind() const = 0;  // "quadtree", "c45"
  virtual const ModelOrigin& origin() const = 0;
  virtual const std::vector<Method>& methods() const = 0;  // what the model may choose
  // The method for any instance; beyond the measured grid the nearest region is extended.
  // Throws Error for a collective that the model does not know.
  virtual Method decide(const Instance& instance) const = 0;
  // The same decisions as a tree; lower().methods equals methods().
  virtual RuleTree lower() const = 0;
  virtual Json parameters() const = 0;  // the options of the fit, to repeat it
  // What the fit reports: leaves, nodes, max_depth, mean_depth and what the kind adds
  // (performance_penalty as fractions, when it was evaluated).
  virtual Json statistics() const = 0;
  virtual Json body() const = 0;  // what only this kind can read
  // A further statistic, such as the performance penalty, which is computed elsewhere.
  virtual void add_statistic(const std::string& name, Json value) = 0;
};

// The whole content of M.json.
Json to_json(const DecisionFunction& model);
// Throws Error that says what is missing, wrong, unknown or too new.
std::unique_ptr<DecisionFunction> model_from_json(const Json& envelope);

void save_model(const DecisionFunction& model, const std::filesystem::path& path);
// Throws ParseError (not JSON, with the line) or Error ("FILE: what").
std::unique_ptr<DecisionFunction> load_model(const std::filesystem::path& path);

}  // namespace colltree
