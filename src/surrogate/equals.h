// SPDX-License-Identifier: BSD-3-Clause
// Methods that nothing tells from the library's own choice: other names for it, or as fast.
#pragma once

#include <vector>

#include "timings/timings.h"

namespace colltree::surrogate {

// Two explanations of how a group of methods differs are weighed by their likelihood. One: all are
// the same, and what differs is noise, some of it common to a job (a communicator size and a
// method), some of every time by itself. Two: much of it changes smoothly with the sizes, as the
// times of different algorithms do. How great the differences are says nothing, and a time that
// fits nothing counts little. Methods that clearly differ from the library's own choice are taken
// from the group, then those that stand out, one by one, until the first explanation is the better
// by far.
//
// The other methods of the library's own choice's group, in the table's order; none where it was
// not measured, where there are few times or communicator sizes, or where they do not say. Cost:
// methods^2 x n^2 and n^3 for n points; of more than 256 that many.
std::vector<Method> like_default(const Timings& timings);

// Whether the times can tell methods from jobs: by what is known of the jobs, or because there are
// communicator sizes enough for like_default, each of which has jobs of its own.
bool tells_methods_from_jobs(const Timings& timings);

}  // namespace colltree::surrogate
