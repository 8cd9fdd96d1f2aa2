// SPDX-License-Identifier: BSD-3-Clause
// Which methods may take the place of the library's own choice: those that are faster with
// certainty. What is fitted to the result leaves the library alone everywhere else.
#pragma once

#include <vector>

#include "timings/timings.h"

namespace colltree {

// The same tables where at each instance a method has a time only if it is faster than the default
// by at least `gain` with certainty: (1 + gain) x the upper end of its interval is at most the
// lower end of the default's. A time without an interval, or of a single sample, is taken as it is.
// Instances where the default was not measured are left out. Throws Error where a table does not
// have the default among its methods, or nothing is left.
std::vector<Timings> proven(const std::vector<Timings>& timings, double gain);

}  // namespace colltree
