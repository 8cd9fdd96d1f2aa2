// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/policy.h"

#include <fmt/core.h>

#include <algorithm>

namespace colltree::evaluate {

std::string why_undecided(const profile::Profile& profile, const std::string& system) {
  std::size_t measured = 0;
  std::size_t disturbed = 0;
  for (const profile::StoredCampaign& campaign : profile.campaigns()) {
    if (campaign.info.system.name != system) continue;
    for (const profile::Cell& cell : profile.cells(campaign.id)) {
      measured += cell.status == profile::CellStatus::kOk ? 1 : 0;
      disturbed += profile::is_disturbed(cell) ? 1 : 0;
    }
  }
  if (2 * disturbed <= measured) return "";
  return fmt::format(
      "{} of {} cells were measured while others used the machine or ranks shared cores: these "
      "times decide nothing. Tune on idle nodes with a core for each rank; --retry disturbed "
      "measures these cells again, --foreign-load 0 takes the times as they are.",
      disturbed, measured);
}

bool is_deployed(const Chooser& choose, const Timings& timings) {
  return std::ranges::any_of(timings.instances, [&](const Instance& instance) {
    return !is_library_default(choose(instance));
  });
}

std::string_view advice(const Chooser& choose, const Timings& timings, bool is_undecided,
                        std::optional<double> default_penalty, std::optional<double> held_out) {
  if (timings.provenance == profile::kProvenanceSimulated) return "simulated";
  if (is_undecided) return "disturbed";
  const bool is_worse =
      default_penalty && held_out && is_default_as_good(*default_penalty, *held_out);
  return is_worse || !is_deployed(choose, timings) ? "keep" : "deploy";
}

}  // namespace colltree::evaluate
