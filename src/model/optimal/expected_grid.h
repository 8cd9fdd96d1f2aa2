// SPDX-License-Identifier: BSD-3-Clause
// The measured grid with sizes between and just beyond the measured ones, and what each method is
// expected to cost there: what a tree is fitted to that must be good at sizes that nobody measured.
#pragma once

#include <span>
#include <vector>

#include "model/optimal/measured_grid.h"

namespace colltree::optimal {

struct ExpectedGrid {
  MeasuredGrid grid;         // times are expected ones where nothing was measured; weights: trapezoids of the
                             // logarithms of the sizes, the sum is 1
  std::vector<double> cost;  // cells x methods: expected log loss, with the price of expected harm
};

// `caution`: what an expected harm (log time above the library's own choice) costs beside its loss.
ExpectedGrid make_expected_grid(std::span<const Timings> timings, double caution);

}  // namespace colltree::optimal
