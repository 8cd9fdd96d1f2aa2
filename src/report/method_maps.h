// SPDX-License-Identifier: BSD-3-Clause
// What is to be seen in a map: the choices and the penalties of whatever decides, on the grid of
// its timings. Decisions are those of make_decision_map and of the model, penalties those of
// penalty_points: the numbers of `colltree evaluate`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/decision_function.h"
#include "report/map_figure.h"
#include "timings/penalty.h"

namespace colltree {

struct MethodMap {
  std::string title;
  std::string subtitle;
  std::vector<std::uint64_t> communicator_sizes;
  std::vector<std::uint64_t> message_sizes;
  std::vector<Method> methods;             // rows x columns: what really runs there
  std::vector<std::uint8_t> interpolated;  // rows x columns, 1 = not measured; or empty
};

// The best method of each point (2006, figure 2 a).
MethodMap exact_map(const Timings& timings);
// What is chosen at each point of the grid of these timings.
MethodMap chosen_map(const Timings& timings, const Chooser& choose);
// The same without timings: at every threshold of the model and beside it, and between.
// Throws Error when the model does not decide for the collective.
MethodMap chosen_map(const DecisionFunction& model, Collective collective);

struct PenaltyMap {
  std::string title;
  std::string subtitle;
  std::vector<std::uint64_t> communicator_sizes;
  std::vector<std::uint64_t> message_sizes;
  std::vector<double> penalty;  // rows x columns, a fraction; not a number: not measured; infinite:
                                // the chosen cannot run there
};
PenaltyMap penalty_map(const Timings& timings, const PenaltyPoints& points);

// Which entry of a key of penalties: a step of penalty_steps, then "cannot run", "not measured".
std::uint16_t penalty_entry(double penalty);
inline constexpr Colour kCannotRunColour = {88, 40, 140};

// "mean 2.1 %, max 34.3 %"
std::string penalty_text(const PenaltySummary& summary);

MapFigure decision_figure(std::string title, const std::vector<MethodMap>& maps,
                          Background background);
MapFigure penalty_figure(std::string title, const std::vector<PenaltyMap>& maps,
                         Background background);

}  // namespace colltree
