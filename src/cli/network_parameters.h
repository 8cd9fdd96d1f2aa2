// SPDX-License-Identifier: BSD-3-Clause
// Network models (parametric/cost_model.h) on what a profile holds: for `predict`, `compare --fit
// loggp` and `show --parameters`.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "cli/profile_options.h"
#include "parametric/cost_model.h"

namespace colltree {

class NetworkModels {
 public:
  NetworkModels(ProfileOptions options, SystemInfo system);

  // Estimated, at the first call, from all that the system has, whichever collectives were asked
  // for. Throws Error with the command that measures what is missing.
  const NetworkParameters& parameters() const;

  // hockney-fitted is fitted to these timings; the others take the parameters above, and the
  // timings say of which collective. Throws Error as parameters(), also where gamma is missing.
  CostModel model(NetworkModel model, const Timings& timings) const;

 private:
  ProfileOptions options_;
  ParameterSource source_;
  mutable std::mutex mutex_;  // compare fits on several cores
  mutable std::optional<NetworkParameters> parameters_;
};

// `show --parameters`: of each system of the profile, or the one that was asked for.
void show_network_parameters(const ProfileOptions& options);

}  // namespace colltree
