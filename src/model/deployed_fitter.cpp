// SPDX-License-Identifier: BSD-3-Clause
#include "model/deployed_fitter.h"

#include <fmt/core.h>

#include "model/kind.h"

namespace colltree {

std::string deployed_fitter(const Timings& timings, std::string_view least_gain) {
  constexpr std::string_view kDeployed = "optimal:leaves=auto";
  if (!timings.default_column()) return std::string(kDeployed);
  return fmt::format("{},{}={}", kDeployed, kLeastGain.name, least_gain);
}

}  // namespace colltree
