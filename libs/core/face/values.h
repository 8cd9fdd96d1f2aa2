// SPDX-License-Identifier: BSD-3-Clause
// The values of the public headers (include/colltree) as colltree's own, and back.
#pragma once

#include "coll/method.h"
#include "colltree/timings.hpp"

namespace colltree::core {

// Throws UsageError for a collective that there is none of.
colltree::Instance inner(const Instance& instance);
Method outer(const colltree::Method& method);

}  // namespace colltree::core
