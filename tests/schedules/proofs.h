// SPDX-License-Identifier: BSD-3-Clause
// What the schedules prove of facts that are written down elsewhere. Each returns an exit code.
#pragma once

#include <string>

#include "coll/catalogue.h"

namespace colltree::test {

// The cost formulas of src/parametric, of every row that has one: they are near the time that the
// schedule takes.
int check_costs();
// Formula / schedule as the table below says it; "-": the row has no formula.
std::string cost_text(const AlgorithmInfo& info);

// The table of docs/algorithms.md, a row for each of the catalogue. Prints the lines that should
// stand there where they do not.
int check_table(const std::string& docs);

}  // namespace colltree::test
