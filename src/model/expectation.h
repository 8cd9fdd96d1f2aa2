// SPDX-License-Identifier: BSD-3-Clause
// What is to be expected of a model at all sizes, also those that nobody measured: what it gains,
// what it risks, and where measuring more could gain more.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/model.h"

namespace colltree::model {

// A communicator size that nobody measured.
struct WorthMeasuring {
  std::uint64_t communicator_size = 0;
  double saving = 0;  // of the time there, a fraction, on average over its message sizes
};

struct Expectation {
  // Of the time of the library's own choice, where that was measured: by how much more time the
  // model takes, a fraction in the geometric mean (below 0: less), and at which share of the sizes
  // it takes more than 2 % more.
  std::optional<double> versus_default;
  double slower = 0;
  // By how much the times of a method differ on another day (standard deviation of the logarithm);
  // measured, or assumed where the timings are of one session.
  double session_deviation = 0;
  bool session_measured = false;
  std::vector<WorthMeasuring> worth;  // where 2 % and more may be saved, most first
};

// `timings`: those that it was fitted to. Each size counts by how much of its axis it stands for
// (optimal/expected_grid.h); what is slower is so on another day (surrogate/belief.h:
// chance_slower). Cost: as a fit with the objective expected.
Expectation expectation_of(const Model& model, const std::vector<Timings>& timings);

// For people, without the last line end; "" where nothing can be said.
std::string expected_gain_text(const Expectation& expectation);
std::string worth_measuring_text(const Expectation& expectation);

}  // namespace colltree::model
