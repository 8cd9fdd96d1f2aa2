// SPDX-License-Identifier: BSD-3-Clause
// The tree of a given number of leaves that loses least, as a model (kind "optimal"), with the
// certificate of what was proved (docs/optimal.md, docs/formats/model.md).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "model/kind.h"
#include "model/optimal/search.h"

namespace colltree {

struct OptimalOptions {
  std::size_t leaves = 10;
  bool choose_leaves = false;       // `leaves` is the most; choose_size.h chooses
  std::size_t frontier_leaves = 0;  // at least `leaves` are taken
  optimal::Objective objective;
  bool power_of_two = false;
  bool noise_aware = false;
  std::optional<double> time_limit_s;
  std::size_t memory_limit_bytes = std::size_t{4} << 30;
  std::vector<CallCount> mix;  // empty: every measured point counts the same
};

class OptimalModel final : public DecisionFunction {
 public:
  // Fits one size, whatever options.choose_leaves says. Throws UsageError (an option out of range)
  // or Error (see optimal::search).
  OptimalModel(ModelOrigin origin, const std::vector<Timings>& timings,
               const OptimalOptions& options);
  // From parts, which are validated. Throws Error.
  OptimalModel(ModelOrigin origin, RuleTree tree, Json parameters, Json statistics);

  std::string kind() const override { return "optimal"; }
  const ModelOrigin& origin() const override { return origin_; }
  const std::vector<Method>& methods() const override { return tree_.methods; }
  Method decide(const Instance& instance) const override;
  RuleTree lower() const override { return tree_; }
  Json parameters() const override { return parameters_; }
  Json statistics() const override { return statistics_; }
  Json body() const override;

  void add_statistic(const std::string& name, Json value);

 private:
  ModelOrigin origin_;
  RuleTree tree_;
  Json parameters_;
  Json statistics_;
};

// From one search: the models of 1, 2, ... options.leaves leaves; those that gain nothing over the
// one before, and those that cannot run everywhere, are left out. For choosing a size.
// Objectives mean and time only; throws UsageError for others.
std::vector<std::unique_ptr<OptimalModel>> fit_optimal_sizes(const ModelOrigin& origin,
                                                             const std::vector<Timings>& timings,
                                                             const OptimalOptions& options);

// The model of options.leaves leaves, or with options.choose_leaves of the chosen size.
inline constexpr std::size_t kMostChosenLeaves = 64;
std::unique_ptr<OptimalModel> fit_optimal(const ModelOrigin& origin,
                                          const std::vector<Timings>& timings,
                                          const OptimalOptions& options);

// Without what no file repeats: limits, a mix, a longer frontier.
OptimalOptions optimal_options(const Parameters& parameters);

extern const Kind kOptimalKind;

}  // namespace colltree
