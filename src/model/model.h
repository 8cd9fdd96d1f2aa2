// SPDX-License-Identifier: BSD-3-Clause
// A fitted model: a total map from instance to method, with what it was fitted on and how. A plain
// value, whatever made it: the kinds (kind.h) differ in how they find a tree, not in what they
// give. As a file: model_file.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/parameters.h"
#include "model/rule_tree.h"
#include "model/statistics.h"
#include "timings/penalty.h"
#include "timings/timings.h"

namespace colltree {

// Where a model comes from; the same for every kind.
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

// Of a model that is fitted to these timings, one table for each collective.
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

// The penalties of its choices.
PenaltyPoints penalty_points(const Timings& timings, const Model& model);

}  // namespace colltree
