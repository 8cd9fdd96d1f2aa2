// SPDX-License-Identifier: BSD-3-Clause
// Along which tree each element of a message is added up, and whether coll/sum_order.h says so.
#pragma once

namespace colltree::test {

struct OrderTrials {
  long calls = 0;
  long failures = 0;
};

// Every method of the collectives that add up, at every number of ranks to `most`.
OrderTrials check_sum_orders(int most);

}  // namespace colltree::test
