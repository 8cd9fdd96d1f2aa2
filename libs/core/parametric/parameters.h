// SPDX-License-Identifier: BSD-3-Clause
// The parameters of the network model, from the times that a profile holds.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "parametric/formulas.h"
#include "timings/timings.h"

namespace colltree::parametric {

struct NetworkParameters {
  LogGP loggp;
  // To fold a byte; none: no linear reduce was measured.
  std::optional<double> gamma_us_per_byte;
};

// Whose timings they are, for the errors.
struct ParameterSource {
  std::string system;
  std::string provenance;
  std::string profile;  // its file
};

// Estimates from one system's timings, whatever collectives are among them: bcast linear at two
// communicator sizes is enough (parametric/point_to_point.h). Least relative deviations, so no
// single time decides; never negative; the same input gives the same bits. Throws Error with the
// command that measures what is missing.
NetworkParameters estimate_parameters(std::span<const Timings> timings,
                                      const ParameterSource& source);

// With gamma where the collective's formulas need it, else with 0. Throws Error as
// estimate_parameters.
Network network_for(const NetworkParameters& parameters, Collective collective,
                    const ParameterSource& source);

// Some formula of the collective folds, so it needs gamma.
bool folds_messages(Collective collective);

// Least absolute deviations with non-negative unknowns: one wild time does not move the result.
inline constexpr std::size_t kMostUnknowns = 3;

struct Deviation {
  std::array<double, kMostUnknowns> factors{};  // of the unknowns
  double value = 0;                             // what their sum should be
  double weight = 1;
};

// The unknowns, 0 or more, with the least sum of weight |value - factors . unknowns|. Among equal
// sums the one with fewer and earlier unknowns above 0; an unknown whose factors are all 0 is 0.
// By weights that are adjusted in turn (Schlossmacher, 1973), for each set of unknowns above 0.
// Deterministic. Cost: 7 sets x 50 x rows.
std::array<double, kMostUnknowns> least_deviations(const std::vector<Deviation>& rows);

}  // namespace colltree::parametric
