// SPDX-License-Identifier: BSD-3-Clause
// Expectations of a model at all sizes, also those that nobody measured: its gain, its risk, and
// the communicator sizes where measuring more could gain more.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/model.h"
#include "model/optimal/measured_grid.h"

namespace colltree::model {

// `timings` are those that the tree was fitted to, `grid` is what make_expected_grid made of them.
// Each size counts by its weight there; a method counts as slower if it would be on another day,
// too (surrogate/belief.h: chance_slower). Cost: a hundred draws for each cell and method that may
// be the best.
Expectation expectation_of(const RuleTree& rules, const optimal::MeasuredGrid& grid,
                           const std::vector<Timings>& timings);
// Makes the grid too, which costs as much as a fit with the objective expected. Sizes with more
// ranks than `most_ranks` do not count: they are not in use.
Expectation expectation_of(const RuleTree& rules, const std::vector<Timings>& timings,
                           std::uint64_t most_ranks = UINT64_MAX);
// The communicator sizes that are worth measuring, as a sentence; "": none.
std::string worth_text(const Expectation& expectation);

// The sentences that someone who deploys the model should read: whether there was anything to
// choose, what it gains and risks, and which communicator sizes are worth measuring.
std::vector<std::string> statements(const Model& model);

}  // namespace colltree::model
