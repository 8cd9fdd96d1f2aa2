// SPDX-License-Identifier: BSD-3-Clause
// Finds methods that nothing tells from the library's own choice: other names for it, or as fast.
#pragma once

#include <vector>

#include "timings/timings.h"

namespace colltree::surrogate {

// Weighs two explanations of the differences within a group of methods by their likelihood. The
// first: all are the same, and the differences are noise, partly common to a job (a communicator
// size and a method), partly of each single time. The second: much of the difference changes
// smoothly with the sizes, as the times of different algorithms do. The scale of the differences
// does not count, and an outlier counts little. Methods that clearly differ from the library's own
// choice leave the group first, then those that stand out, until the first explanation is far
// better.
//
// Returns the methods in the group of the library's own choice without that itself, in the table's
// order; none if it was not measured, if there are few times or communicator sizes, or if the
// evidence is too weak. Cost: methods^2 x n^2 and n^3 for n points; at most 256 points are used.
std::vector<Method> like_default(const Timings& timings);

// True if the times can tell methods from jobs: because that is known of the jobs, or because there
// are enough communicator sizes for like_default, each of which has jobs of its own.
bool tells_methods_from_jobs(const Timings& timings);

}  // namespace colltree::surrogate
