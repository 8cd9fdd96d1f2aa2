// SPDX-License-Identifier: BSD-3-Clause
// What the schedules prove of facts that are written down elsewhere. Each returns an exit code or
// counts.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "coll/collective.h"

namespace colltree::test {

// The cost formulas of libs/core/parametric, of every row that has one: they are near the time that
// the schedule takes.
int check_costs();
// The table of docs/reference/algorithms.md, a row for each of the catalogue. Prints the lines that
// should stand there where they do not.
int check_table(const std::string& docs);

struct OrderTrials {
  long calls = 0;
  long failures = 0;
};

using WantsRow = std::function<bool(Collective collective, std::string_view algorithm)>;

// Along which tree each element of a message is added up, and whether coll/catalogue.h says so:
// every method of the rows that add up and are wanted, at every number of ranks to `most`.
OrderTrials check_sum_orders(int most, const WantsRow& wants);

}  // namespace colltree::test
