// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/policy.h"

#include <fmt/core.h>

#include <algorithm>

namespace colltree::deploy {

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

bool is_all_or_none(const rules::RuleTarget* target) {
  return target != nullptr && !target->leaves_parts;
}

Beyond usual_beyond(const Timings& timings, const rules::RuleTarget* target) {
  const bool is_real = timings.provenance != profile::kProvenanceSimulated;
  return {is_real && !is_all_or_none(target) ? Beyond::Choice::kDefault : Beyond::Choice::kNearest};
}

bool is_deployed(const model::RuleTree& tree, const Timings& timings) {
  return std::ranges::any_of(timings.instances, [&](const Instance& instance) {
    return !is_library_default(model::decide(tree, instance));
  });
}

}  // namespace colltree::deploy
