// SPDX-License-Identifier: BSD-3-Clause
#include "measure/stored_part.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>

#include "base/error.h"
#include "base/json.h"
#include "measure/installed_library.h"

namespace colltree::measure {

profile::Cell stored_cell(const protocol::CellResult& result) {
  profile::Cell cell;
  if (result.failure) {
    cell.key = {result.cell.instance, 0, 0, result.cell.method};
    cell.status =
        result.cannot_run ? profile::CellStatus::kCannotRun : profile::CellStatus::kFailed;
    cell.reason = *result.failure;
    return cell;
  }
  cell.key = {placed(result.cell.instance, result.layout), result.count, result.type_size,
              result.cell.method};
  for (const double time_us : result.samples_us)
    cell.samples.push_back({static_cast<std::int64_t>(cell.samples.size()), time_us});
  if (result.foreign_load > 0)
    cell.reason = fmt::format("others used {:.0f} % of the cores", 100 * result.foreign_load);
  if (result.shared_cores > 0)
    cell.reason +=
        fmt::format("{}{} ranks shared {} cores of a node", cell.reason.empty() ? "" : ", ",
                    result.layout.ranks_per_node, result.shared_cores);
  return cell;
}

void refuse_mixed_sources(const profile::Profile& profile, const profile::CampaignInfo& campaign) {
  for (const profile::StoredCampaign& stored : profile.campaigns()) {
    if (stored.info.system.name != campaign.system.name || stored.info.source == campaign.source)
      continue;
    throw Error(fmt::format(
        "{}: system {} holds timings of {} methods; give those of {} another name with --system",
        profile.path().string(), campaign.system.name, stored.info.source, campaign.source));
  }
}

void refuse_renamed_host(const profile::Profile& profile, const profile::CampaignInfo& campaign) {
  const profile::SystemInfo& here = campaign.system;
  if (here.provenance != profile::kProvenanceMeasured) return;
  std::optional<profile::CampaignInfo> same;
  for (const profile::StoredCampaign& stored : profile.campaigns()) {
    const profile::SystemInfo& there = stored.info.system;
    if (there.name == here.name) return;
    if (there.provenance == here.provenance && there.mpi == here.mpi &&
        stored.info.source == campaign.source && stored.info.options == campaign.options &&
        stored.info.host != campaign.host)
      same = stored.info;
  }
  if (!same) return;
  throw Error(
      fmt::format("{}: holds this campaign as system {} of host {}, here is {}; say --system {} to "
                  "continue it, or --system {} for another",
                  profile.path().string(), same->system.name, same->host, campaign.host,
                  same->system.name, here.name));
}

std::string source_of(const CampaignRequest& request) {
  return request.library ? std::string(name(*request.library)) : "portable";
}

StoredPart::StoredPart(const CampaignPart& part, profile::Profile& profile, bool beside)
    : request_(part.request),
      driver_(part.driver),
      profile_(profile),
      beside_(beside),
      info_(describe()) {
  refuse_mixed_sources(profile_, info_);
  if (!request_.system) refuse_renamed_host(profile_, info_);
  campaign_ = profile_.begin_campaign(info_);
  store_settings(profile_, info_, driver_.settings());
  lock_.emplace(profile_.path(), campaign_, info_.system.name);
  if (request_.retry_failed) profile_.forget_failed(campaign_);
}

profile::CampaignInfo StoredPart::describe() const {
  profile::CampaignInfo info;
  info.system = driver_.system();
  if (request_.system) info.system.name = *request_.system;
  info.source = source_of(request_);
  info.host = host_name();
  info.platform_file = driver_.platform_file();
  info.options = driver_.options(request_.stop);
  if (request_.at_once > 0) {
    Json options = Json::parse(info.options);
    options["at_once"] = request_.at_once;
    info.options = options.dump();
  }
  return info;
}

std::vector<protocol::PlanCell> StoredPart::missing_cells() {
  std::vector<protocol::PlanCell> cells = plan_cells(request_, driver_);
  for (protocol::PlanCell& cell : cells) cell.portable = beside_;
  outcome_ = {info_.system.name, cells.size()};
  wanted_ = {cells.begin(), cells.end()};
  if (request_.retry_disturbed) forget_disturbed();
  refuse_unsaid_placements();
  for (const profile::CellKey& key : profile_.finished_cells(campaign_))
    finished_.insert(plan_cell(key));
  outcome_.failed_before = failed_before();
  std::erase_if(cells, [&](const protocol::PlanCell& cell) { return finished_.contains(cell); });
  outcome_.already = outcome_.wanted - cells.size();
  return cells;
}

protocol::PlanCell StoredPart::plan_cell(const profile::CellKey& key) const {
  const Instance& instance = key.instance;
  const bool regular = instance == protocol::placed(instance, instance.ranks_per_node);
  return {regular && !request_.ranks_per_node.empty() ? instance : protocol::placed(instance, 0),
          key.method, beside_};
}

void StoredPart::count(const profile::Cell& cell, int change) {
  const auto add = [&](bool counts, std::uint64_t& number) {
    if (counts) number += static_cast<std::uint64_t>(change);
  };
  add(cell.status == profile::CellStatus::kOk, outcome_.measured);
  add(cell.status == profile::CellStatus::kFailed, outcome_.failed);
  add(cell.status == profile::CellStatus::kCannotRun, outcome_.not_applicable);
  add(profile::is_disturbed(cell), outcome_.disturbed);
}

void StoredPart::keep(const protocol::PlanCell& planned, profile::Cell cell) {
  count(cell, 1);
  pending_.push_back(std::move(cell));
  planned_.push_back(planned);
}

void StoredPart::commit() {
  if (stored_up_to_ > 0) profile_.record(campaign_, std::span(pending_).first(stored_up_to_));
  const auto stored = static_cast<std::ptrdiff_t>(stored_up_to_);
  pending_.erase(pending_.begin(), pending_.begin() + stored);
  planned_.erase(planned_.begin(), planned_.begin() + stored);
  stored_up_to_ = 0;
}

std::vector<protocol::PlanCell> StoredPart::forget_unstored() {
  for (const profile::Cell& cell : std::span(pending_).subspan(stored_up_to_)) count(cell, -1);
  std::vector<protocol::PlanCell> forgotten(
      planned_.begin() + static_cast<std::ptrdiff_t>(stored_up_to_), planned_.end());
  pending_.resize(stored_up_to_);
  planned_.resize(stored_up_to_);
  return forgotten;
}

// If no placement is asked for, a cell that was measured with any would be taken for measured.
void StoredPart::refuse_unsaid_placements() const {
  if (!request_.ranks_per_node.empty()) return;
  std::map<protocol::PlanCell, std::uint64_t> placement;
  for (const profile::CellKey& key : profile_.finished_cells(campaign_)) {
    const Instance& instance = key.instance;
    if (instance.ranks_per_node == 0) continue;
    const auto [known, is_new] = placement.emplace(
        protocol::PlanCell{protocol::placed(instance, 0), key.method}, instance.ranks_per_node);
    if (is_new || known->second == instance.ranks_per_node) continue;
    throw Error(
        fmt::format("{}: system {} was measured with several placements; choose with "
                    "--ranks-per-node which of them to continue, or give another --system",
                    profile_.path().string(), info_.system.name));
  }
}

std::uint64_t StoredPart::failed_before() const {
  const std::vector<profile::Cell> cells = profile_.cells(campaign_);
  return static_cast<std::uint64_t>(std::ranges::count_if(cells, [&](const profile::Cell& cell) {
    return cell.status == profile::CellStatus::kFailed && wanted_.contains(plan_cell(cell.key));
  }));
}

// Only what will be measured again now.
void StoredPart::forget_disturbed() {
  std::vector<profile::CellKey> keys;
  for (const profile::Cell& cell : profile_.cells(campaign_)) {
    if (profile::is_disturbed(cell) && wanted_.contains(plan_cell(cell.key)))
      keys.push_back(cell.key);
  }
  profile_.forget(campaign_, keys);
}

}  // namespace colltree::measure
