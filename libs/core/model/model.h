// SPDX-License-Identifier: BSD-3-Clause
// A fitted model: a total map from instance to method, with what it was fitted on and how. It is a
// plain value: the kinds (kind.h) differ in how they find a tree, not in what they return.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "model/parameters.h"
#include "model/rule_tree.h"
#include "model/statistics.h"
#include "timings/penalty.h"
#include "timings/timings.h"

namespace colltree::model {

// The timings that a model was fitted to; the same for every kind.
struct ModelOrigin {
  std::string system;
  std::string provenance;  // "simulated", "measured" or "imported"
  std::vector<Collective> collectives;
  std::uint64_t instances = 0;       // training points
  std::string timings;               // hash_of what the model was fitted to; "": not known
  std::vector<OneOrder> one_orders;  // of the collectives whose methods all add up in one order
  std::string algorithms;            // as Timings::algorithms
  std::string mpi;                   // as Timings::mpi

  bool operator==(const ModelOrigin&) const = default;
};

// The origin of a model that is fitted to these timings, one table for each collective.
ModelOrigin origin_of(const std::vector<Timings>& timings);

struct Model {
  std::string kind;  // a row of kind.cpp: "quadtree", "c45"
  ModelOrigin origin;
  Parameters parameters;  // of the fit, as the kind declares them: enough to repeat it, but for
  bool weighted = false;  // a mix of calls, which no file holds
  Statistics statistics;
  // The decisions, one root for each collective of the origin. Its methods are what the model may
  // choose. Beyond the measured grid the nearest region is extended.
  RuleTree rules;
  std::string text;  // as the source of the kind prints its models; "": it prints none

  // Throws Error for a collective that the model does not know.
  const Method& decide(const Instance& instance) const;
};

// True if every method was left out, because nothing tells any from the library's own choice.
bool nothing_to_choose(const Model& model);
// The sentence about the methods that a fit left out for that reason; "": there are none.
std::string like_default_text(const Model& model);

// The penalties of the model's choices.
PenaltyPoints penalty_points(const Timings& timings, const Model& model);

// A model as a file, M.json (docs/reference/formats/model.md): the only place where models are
// JSON.

inline constexpr std::uint64_t kModelFormat = 2;  // the only version that is read

// The whole content of M.json, of that version.
Json to_json(const Model& model);
// Throws Error that says what is missing, wrong, unknown or of another version.
Model model_from_json(const Json& envelope);

void save_model(const Model& model, const std::filesystem::path& path);
// Throws ParseError (not JSON, with the line) or Error ("FILE: what").
Model load_model(const std::filesystem::path& path);

// A model that is a rule tree and nothing more (kind "rules"): decisions that were not fitted by
// this program, such as an MPI library's own compiled rules, or that were put together from others.

// Throws Error when the tree is not valid. The statistics have a shape for each collective.
Model rules_model(ModelOrigin origin, RuleTree tree);

// One method for every instance of the collective.
RuleTree one_leaf(Collective collective, const Method& method);

}  // namespace colltree::model
