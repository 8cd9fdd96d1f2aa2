// SPDX-License-Identifier: BSD-3-Clause
// How many leaves a tree should have (`leaves=auto`): more leaves always lose less on the points
// they were fitted to, but not on others. Every size is judged on points left out, with one search
// for each fold, and the smallest is taken that the best one does not clearly beat.
#pragma once

#include <vector>

#include "model/kinds/optimal.h"

namespace colltree {

// Judges the trees of these sizes: communicator sizes and message sizes are left out in turn, five
// folds of each with a fixed seed; what cannot be left out is not. A choice that cannot run at a
// point counts as the slowest method there. `options`: of the fits, with options.leaves the
// greatest size. Cost: ten searches.
SizeChoice choose_size(const std::vector<Timings>& timings, const std::vector<std::size_t>& sizes,
                       const OptimalOptions& options);

}  // namespace colltree
