// SPDX-License-Identifier: BSD-3-Clause
// The tree of a given number of leaves that loses least, as a model (kind "optimal"), with the
// certificate of what was proved (docs/tasks/fitting.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/kind.h"
#include "model/optimal/search.h"

namespace colltree::model {

struct OptimalOptions {
  std::size_t leaves = 10;
  bool choose_leaves = false;       // `leaves` is the most; optimal_size.h chooses
  std::size_t frontier_leaves = 0;  // at least `leaves` are taken
  optimal::Objective objective;
  bool power_of_two = false;
  bool noise_aware = false;
  std::string least_gain = kLeastGain.otherwise;
  std::optional<double> time_limit_s;
  std::size_t memory_limit_bytes = std::size_t{4} << 30;
  std::vector<CallCount> mix;  // empty: every measured point counts the same
};

// The model of options.leaves leaves, or with options.choose_leaves of the chosen size. Throws
// UsageError (an option out of range) or Error (see optimal::search).
inline constexpr std::size_t kMostChosenLeaves = 40;
Model fit_optimal(const std::vector<Timings>& timings, const OptimalOptions& options);

// From one search: the models of 1, 2, ... options.leaves leaves; those that gain nothing over the
// one before, and those that cannot run everywhere, are left out. For choosing a size.
// Objectives mean and time only; throws UsageError for others.
std::vector<Model> fit_optimal_sizes(const std::vector<Timings>& timings,
                                     const OptimalOptions& options);

// Without what no file repeats: limits, a mix, a longer frontier.
OptimalOptions optimal_options(const Parameters& parameters);

extern const Kind kOptimalKind;

}  // namespace colltree::model
