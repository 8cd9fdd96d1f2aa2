// SPDX-License-Identifier: BSD-3-Clause
#include "measure/recording.h"

#include <fmt/core.h>

#include <optional>

#include "base/error.h"

namespace colltree {

Cell stored_cell(const CellMeasured& measured) {
  Cell cell;
  cell.key = {measured.cell.instance(), measured.count, measured.type_size, measured.cell.method};
  cell.key.instance.nodes = measured.nodes;
  cell.key.instance.ranks_per_node = measured.ranks_per_node;
  for (const double time_us : measured.samples_us)
    cell.samples.push_back({static_cast<std::int64_t>(cell.samples.size()), time_us});
  if (measured.foreign_load > 0)
    cell.reason = fmt::format("others used {:.0f} % of the cores", 100 * measured.foreign_load);
  if (measured.shared_cores > 0)
    cell.reason +=
        fmt::format("{}{} ranks shared {} cores of a node", cell.reason.empty() ? "" : ", ",
                    measured.ranks_per_node, measured.shared_cores);
  return cell;
}

Cell stored_cell(const CellFailed& failed) {
  const CellStatus status = failed.cannot_run ? CellStatus::kCannotRun : CellStatus::kFailed;
  return {CellKey{failed.cell.instance(), 0, 0, failed.cell.method}, status, failed.reason, {}};
}

void refuse_mixed_sources(const Profile& profile, const CampaignInfo& campaign) {
  for (const StoredCampaign& other : profile.campaigns()) {
    if (other.info.system.name != campaign.system.name || other.info.source == campaign.source)
      continue;
    throw Error(fmt::format(
        "{}: system {} holds timings of {} methods; give those of {} another name with --system",
        profile.path().string(), campaign.system.name, other.info.source, campaign.source));
  }
}

void refuse_renamed_host(const Profile& profile, const CampaignInfo& campaign) {
  const SystemInfo& here = campaign.system;
  if (here.provenance != kProvenanceMeasured) return;
  std::optional<CampaignInfo> same;
  for (const StoredCampaign& other : profile.campaigns()) {
    const SystemInfo& there = other.info.system;
    if (there.name == here.name) return;
    if (there.provenance == here.provenance && there.mpi == here.mpi &&
        other.info.source == campaign.source && other.info.options == campaign.options &&
        other.info.host != campaign.host)
      same = other.info;
  }
  if (!same) return;
  throw Error(fmt::format(
      "{}: holds this campaign as system {} of host {}, here is {}; say --system {} to go on with "
      "it, or --system {} for another",
      profile.path().string(), same->system.name, same->host, campaign.host, same->system.name,
      here.name));
}

}  // namespace colltree
