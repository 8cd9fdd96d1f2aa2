// SPDX-License-Identifier: BSD-3-Clause
// How many leaves a tree should have (`leaves=auto`): more leaves always lose less on the points
// they were fitted to, but not on others. Every size is judged on held-out points, with one search
// for each fold. Which size is best there hangs on few points when there are few, so the choice
// starts from a usual one, 1.5 log2(points) leaves, and goes towards the best only as long as the
// differences between the two, group by group, say that it is better.
#pragma once

#include <vector>

#include "model/kinds/optimal.h"
#include "timings/folds.h"

namespace colltree::model {

// As many as find room together in the memory that one may take.
std::size_t searches_at_a_time(const std::vector<Timings>& timings, const OptimalOptions& options);

// The searches for one kind of held-out points.
struct FoldSearches {
  HeldOut kind;
  Folds folds;
  std::vector<std::vector<Model>> models;  // by fold: all sizes, without its points
};

struct SizeSearches {
  std::vector<Model> all;  // all sizes on all points
  std::vector<FoldSearches> left_out;
};

// Communicator sizes and message sizes are held out in turn, five folds of each with a fixed seed;
// an axis that cannot be divided is not. `options`: of the fits, with options.leaves the greatest
// size. Cost: eleven searches, on all cores.
SizeSearches search_sizes(const std::vector<Timings>& timings, const OptimalOptions& options);

// Judges the trees of these sizes. A choice that cannot run at a point counts as the slowest method
// there. Taken is the usual size, or the nearest to it on the way to the one of least mean that is
// at most one standard error of the difference worse (of paired differences; the sizes of
// one fold count as one draw).
SizeChoice choose_size(const std::vector<Timings>& timings, const SizeSearches& searches,
                       const std::vector<std::size_t>& sizes);

}  // namespace colltree::model
