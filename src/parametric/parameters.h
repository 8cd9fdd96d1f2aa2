// SPDX-License-Identifier: BSD-3-Clause
// The parameters of the network model, from the times that a profile holds.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "parametric/network.h"
#include "timings/timings.h"

namespace colltree {

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

// Of one system's timings, whatever collectives are among them: bcast linear at two communicator
// sizes is enough (parametric/point_to_point.h). Least relative deviations, so no single time
// decides; never negative; the same input gives the same bits. Throws Error with the command that
// measures what is missing.
NetworkParameters estimate_parameters(std::span<const Timings> timings,
                                      const ParameterSource& source);

// With gamma where the collective's formulas need it, else with 0. Throws Error as
// estimate_parameters.
Network network_for(const NetworkParameters& parameters, Collective collective,
                    const ParameterSource& source);

// Some formula of the collective folds, so it needs gamma.
bool folds_messages(Collective collective);

}  // namespace colltree
