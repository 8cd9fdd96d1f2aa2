// SPDX-License-Identifier: BSD-3-Clause
// For sums whose bits do not depend on how long a message is, how it is cut or how ranks are
// placed: timings of those methods only that add up in one order (coll/catalogue.h). One order for
// all communicator sizes, because a tree's thresholds between two measured sizes may differ from
// one message size to another.
#pragma once

#include "timings/timings.h"

namespace colltree {

// Of the orders that have a method at every instance the one whose best methods lose least on
// average; the first in tie order among ties. Collectives that do not add up keep all methods.
// The methods must be the portable ones. Throws Error when no order has a method everywhere.
Timings in_one_order(const Timings& timings);

}  // namespace colltree
