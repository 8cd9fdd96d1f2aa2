// SPDX-License-Identifier: BSD-3-Clause
// The network model with the parameters that a profile holds: for `predict`, `compare --fit loggp`
// and `show --parameters`.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "cli/profile_options.h"
#include "parametric/parameters.h"

namespace colltree {

inline constexpr const char* kNetworkModel = "loggp";  // in options and tables

class MeasuredNetwork {
 public:
  MeasuredNetwork(ProfileOptions options, SystemInfo system);

  // Estimated, at the first call, from all that the system has, whichever collectives were asked
  // for. Throws Error with the command that measures what is missing.
  const NetworkParameters& parameters() const;

  // For the formulas of one collective. Throws Error as parameters(), also where gamma is missing.
  Network of(Collective collective) const;

 private:
  ProfileOptions options_;
  ParameterSource source_;
  mutable std::mutex mutex_;  // compare fits on several cores
  mutable std::optional<NetworkParameters> parameters_;
};

// `show --parameters`: of each system of the profile, or the one that was asked for.
void show_network_parameters(const ProfileOptions& options);

}  // namespace colltree
