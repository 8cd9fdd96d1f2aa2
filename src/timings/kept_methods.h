// SPDX-License-Identifier: BSD-3-Clause
// Timings of those methods only that may be chosen.
#pragma once

#include <vector>

#include "timings/timings.h"

namespace colltree {

// Which methods may take the place of the library's own choice: those that are faster with
// certainty. What is fitted to the result leaves the library alone everywhere else.
//
// The same tables where at each instance a method has a time only if it is faster than the default
// by at least `gain` with 95 % confidence: (1 + gain) x the upper end of its interval is at most
// the lower end of the default's. A time without an interval, or of a single sample, is taken as it
// is. Instances where the default was not measured are left out. Throws Error where a table does
// not have the default among its methods, or nothing is left.
std::vector<Timings> proven(const std::vector<Timings>& timings, double gain);

// For sums whose bits do not depend on how long a message is, how it is cut or how ranks are
// placed: timings of those methods only that add up in one order (coll/sum_order.h). One order for
// all communicator sizes, because a tree's thresholds between two measured sizes may differ from
// one message size to another.
//
// Of the orders that have a method at every instance the one whose best methods lose least on
// average; the first in tie order among ties. Collectives that do not add up keep all methods.
// The methods must be the portable ones. Throws Error when no order has a method everywhere.
Timings in_one_order(const Timings& timings);

}  // namespace colltree
