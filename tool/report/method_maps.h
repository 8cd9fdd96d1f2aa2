// SPDX-License-Identifier: BSD-3-Clause
// The contents of a map: the choices and the penalties of whatever decides, on the grid of its
// timings. Decisions are those of make_decision_map and of the model, penalties those of
// penalty_points, so they are the numbers of `colltree evaluate`.
#pragma once

#include <string>
#include <vector>

#include "model/model.h"
#include "timings/penalty.h"

namespace colltree::report {

struct MethodMap {
  std::vector<std::uint64_t> communicator_sizes;
  std::vector<std::uint64_t> message_sizes;
  std::vector<Method> methods;             // rows x columns: what really runs there
  std::vector<std::uint8_t> interpolated;  // rows x columns, 1 = not measured; or empty
  std::size_t predicted = 0;               // of those: predicted
};

// Says what a cell with a dot is.
const char* dots_text(bool predicted);

// The best method of each point (2006, figure 2 a).
MethodMap exact_map(const Timings& timings);
// The choice at each point of the grid of these timings.
MethodMap chosen_map(const Timings& timings, const Chooser& choose);
// The same without timings: at every threshold of the model and beside it, and between.
// Throws Error when the model does not decide for the collective.
MethodMap chosen_map(const model::Model& model, Collective collective);

struct PenaltyMap {
  std::vector<std::uint64_t> communicator_sizes;
  std::vector<std::uint64_t> message_sizes;
  std::vector<double> penalty;  // rows x columns, a fraction; not a number: not measured; infinite:
                                // the chosen cannot run there
};
PenaltyMap penalty_map(const Timings& timings, const PenaltyPoints& points);

// The steps of a penalty map (2007, figure 3), in order.
struct PenaltyStep {
  double from;       // penalty as a fraction, inclusive; up to the next step
  const char* text;  // "below 5 %"
};
inline constexpr PenaltyStep kPenaltySteps[] = {{0, "below 5 %"},
                                                {0.05, "5 to 10 %"},
                                                {0.10, "10 to 25 %"},
                                                {0.25, "25 to 50 %"},
                                                {0.50, "50 % and more"}};

// The index of a step, then "cannot run", "not measured".
std::size_t penalty_step(double penalty);

// "mean 2.1 %, max 34.3 %", and at how many instances by predicted times.
std::string penalty_text(const PenaltySummary& summary);

}  // namespace colltree::report
