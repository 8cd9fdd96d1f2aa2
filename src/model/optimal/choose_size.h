// SPDX-License-Identifier: BSD-3-Clause
// How many leaves a tree should have (`leaves=auto`): more leaves always lose less on the points
// they were fitted to, but not on others. Every size is judged on points left out, with one search
// for each fold, and the smallest is taken that the best one does not clearly beat.
#pragma once

#include <memory>
#include <vector>

#include "base/json.h"
#include "model/optimal/optimal_model.h"

namespace colltree {

// Mean held-out penalty of one size.
struct JudgedSize {
  std::size_t leaves = 0;
  double mean = 0;            // infinite: in some fold no tree of so many leaves can run everywhere
  double standard_error = 0;  // of the mean; sizes left out together count as one draw
};

struct SizeChoice {
  std::vector<JudgedSize> sizes;  // ascending; empty when no point can be left out
  std::size_t best = 0;           // index: least mean, then fewest leaves
  std::size_t chosen = 0;         // index: the first whose mean is at most best's mean + its error
};

// Judges the trees of these sizes: communicator sizes and message sizes are left out in turn, five
// folds of each with a fixed seed; what cannot be left out is not. A choice that cannot run at a
// point counts as the slowest method there. `options`: of the fits, with options.leaves the
// greatest size. Cost: ten searches.
SizeChoice choose_size(const std::vector<Timings>& timings, const std::vector<std::size_t>& sizes,
                       const OptimalOptions& options);

Json size_choice_json(const SizeChoice& choice);

}  // namespace colltree
