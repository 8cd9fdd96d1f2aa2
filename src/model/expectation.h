// SPDX-License-Identifier: BSD-3-Clause
// What is to be expected of a model at all sizes, also those that nobody measured: what it gains,
// what it risks, and where measuring more could gain more.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/model.h"
#include "model/optimal/measured_grid.h"

namespace colltree::model {

// `timings`: those that the tree was fitted to; `grid`: made of them by make_expected_grid. Each
// size counts by its weight there; what is slower is so on another day (surrogate/belief.h:
// chance_slower). Cost: that of a hundred looks at each cell and method that may be the best.
Expectation expectation_of(const RuleTree& rules, const optimal::MeasuredGrid& grid,
                           const std::vector<Timings>& timings);
// Makes the grid too, which costs as a fit with the objective expected. Sizes on more ranks than
// `most_ranks` do not count: they are not in use.
Expectation expectation_of(const RuleTree& rules, const std::vector<Timings>& timings,
                           std::uint64_t most_ranks = UINT64_MAX);
// Which communicator sizes are worth measuring; "": none.
std::string worth_text(const Expectation& expectation);

// What is to be said of a model to who would deploy it: whether there was anything to choose, what
// it gains and risks, and which communicator sizes are worth measuring. None: nothing.
std::vector<std::string> statements(const Model& model);

}  // namespace colltree::model
