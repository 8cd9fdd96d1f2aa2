// SPDX-License-Identifier: BSD-3-Clause
// The tree of a given number of leaves that loses least, as a model (kind "optimal"), with the
// certificate of what was proved (docs/tasks/fitting.md).
#pragma once

#include <optional>
#include <vector>

#include "base/bounds.h"
#include "model/kind.h"
#include "model/optimal/search.h"

namespace colltree::model {

// How many times an expected loss against the library's own choice counts, beside what is lost
// against the best method (optimal/expected_grid.h).
inline constexpr RealRange kCautionRange{0, 1000};

struct OptimalOptions {
  std::size_t leaves = 10;
  bool choose_leaves = false;  // as many as pay for themselves; objective expected only
  optimal::Objective objective;
  double caution = 0.2;  // of the objective expected
  bool power_of_two = false;
  std::optional<double> time_limit_s;
  std::size_t memory_limit_bytes = std::size_t{4} << 30;
  std::vector<CallCount> mix;  // empty: every measured point counts the same
};

// The model of options.leaves leaves, or with options.choose_leaves the model of as many leaves as
// pay for themselves. Throws UsageError (options out of range or in conflict) or Error (see
// optimal::search).
Model fit_optimal(const std::vector<Timings>& timings, const OptimalOptions& options);

// The models of 1, 2, ... options.leaves leaves from one search, without those that gain nothing
// over the one before and those that cannot run everywhere. The objective must be a sum.
std::vector<Model> fit_optimal_sizes(const std::vector<Timings>& timings,
                                     const OptimalOptions& options);

// The options that a model file repeats: no limits, no mix, no longer frontier.
OptimalOptions optimal_options(const Parameters& parameters);

extern const Kind kOptimalKind;

}  // namespace colltree::model
