// SPDX-License-Identifier: BSD-3-Clause
// Along which tree each element of a message is added up, and whether coll/catalogue.h says so.
#pragma once

#include <functional>
#include <string_view>

#include "coll/collective.h"

namespace colltree::test {

struct OrderTrials {
  long calls = 0;
  long failures = 0;
};

using WantsRow = std::function<bool(Collective collective, std::string_view algorithm)>;

// Every method of the rows that add up and are wanted, at every number of ranks to `most`.
OrderTrials check_sum_orders(int most, const WantsRow& wants);

}  // namespace colltree::test
