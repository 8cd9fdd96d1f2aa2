// SPDX-License-Identifier: BSD-3-Clause
#include "profile/overview.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "base/json.h"
#include "base/text.h"

namespace colltree::profile {

void WantedCells::see(const Cell& cell) {
  Instance instance = cell.key.instance;
  if (cell.status == CellStatus::kWanted) {
    wanted_.emplace(instance, cell.key.method);
    return;
  }
  settled_.emplace(instance, cell.key.method);
  instance.nodes = instance.ranks_per_node = 0;
  settled_.emplace(instance, cell.key.method);
}

WantedCells::Points WantedCells::left() const {
  Points left;
  std::ranges::set_difference(wanted_, settled_, std::inserter(left, left.end()));
  return left;
}

namespace {

constexpr std::size_t kMostListed = 20;  // cells of one list, in the text; JSON lists them all

void count(SystemOverview& overview, WantedCells& wanted, const Cell& cell) {
  wanted.see(cell);
  if (cell.status == CellStatus::kWanted) return;
  const Instance& instance = cell.key.instance;
  CollectiveOverview& counts = overview.collectives[instance.collective];
  if (cell.status != CellStatus::kCannotRun) counts.instances.insert(instance);
  counts.communicator_sizes.insert(instance.communicator_size);
  counts.message_sizes.insert(instance.message_size);
  if (instance.ranks_per_node != 0)
    counts.placements.emplace(instance.communicator_size, instance.ranks_per_node);
  if (cell.key.method.algorithm == kDefaultAlgorithm) {
    counts.has_default = true;
  } else {
    counts.methods.insert(cell.key.method);
  }
  ++counts.cells[cell.status];
  counts.samples += cell.samples.size();
  if (cell.status != CellStatus::kOk) overview.not_ok.push_back(cell);
  if (is_disturbed(cell)) overview.disturbed.push_back(cell);
}

std::size_t cells(const CollectiveOverview& counts, CellStatus status) {
  const auto found = counts.cells.find(status);
  return found == counts.cells.end() ? 0 : found->second;
}

std::string bytes(std::uint64_t size) { return size == 0 ? "0" : format_bytes(size); }

std::string extent(const std::set<std::uint64_t>& sizes, std::string (*format)(std::uint64_t)) {
  if (sizes.size() == 1) return format(*sizes.begin());
  return fmt::format("{}..{} ({} sizes)", format(*sizes.begin()), format(*sizes.rbegin()),
                     sizes.size());
}

std::string plain(std::uint64_t size) { return fmt::format("{}", size); }

std::string cell_lines(const std::string& title, const std::vector<Cell>& cells,
                       std::string (*said)(const Cell&)) {
  if (cells.empty()) return "";
  std::string text = title;
  for (std::size_t i = 0; i < cells.size() && i < kMostListed; ++i) {
    const CellKey& key = cells[i].key;
    text += fmt::format("    {} {} on {} ranks, {}: {}\n", name(key.instance.collective),
                        key.method.label(), key.instance.communicator_size,
                        bytes(key.instance.message_size), said(cells[i]));
  }
  if (cells.size() > kMostListed)
    text += fmt::format("    and {} more; --json lists them all\n", cells.size() - kMostListed);
  return text;
}

std::string campaign_line(const CampaignInfo& info) {
  std::string line = fmt::format("  campaign {}  {}  source {}", info.uid.substr(0, 8),
                                 info.started_utc, info.source);
  if (!info.host.empty()) line += fmt::format("  host {}", info.host);
  if (!info.platform_file.empty()) line += fmt::format("  platform {}", info.platform_file);
  return line + fmt::format("  options {}  colltree {}\n", info.options, info.colltree_version);
}

std::set<std::uint64_t> ranks_per_node(const CollectiveOverview& counts) {
  std::set<std::uint64_t> ranks;
  for (const auto& [communicator_size, its] : counts.placements) ranks.insert(its);
  return ranks;
}

std::string collective_lines(Collective collective, const CollectiveOverview& counts) {
  const bool has_several_placements = counts.placements.size() > counts.communicator_sizes.size();
  return fmt::format(
      "  {}: {} instances, {} methods{}; cells: {} ok, {} failed, {} cannot run{}; {} samples\n"
      "    communicator sizes {}{}, message sizes {}\n",
      name(collective), counts.instances.size(), counts.methods.size(),
      counts.has_default ? " and the default" : "", cells(counts, CellStatus::kOk),
      cells(counts, CellStatus::kFailed), cells(counts, CellStatus::kCannotRun),
      counts.predicted == 0 ? "" : fmt::format(", {} not measured but predicted", counts.predicted),
      counts.samples, extent(counts.communicator_sizes, plain),
      has_several_placements
          ? fmt::format(", ranks per node {}", fmt::join(ranks_per_node(counts), ","))
          : "",
      extent(counts.message_sizes, bytes));
}

Json cell_json(const Cell& cell) {
  const Instance& instance = cell.key.instance;
  return {{"collective", name(instance.collective)},
          {"communicator_size", instance.communicator_size},
          {"message_size", instance.message_size},
          {"method", cell.key.method.label()},
          {"status", name(cell.status)},
          {"reason", cell.reason}};
}

Json campaign_json(const CampaignInfo& info) {
  return {{"uid", info.uid},
          {"source", info.source},
          {"host", info.host},
          {"platform_file", info.platform_file},
          {"options", Json::try_parse(info.options).value_or(Json())},
          {"config_hash", info.config_hash},
          {"started_utc", info.started_utc},
          {"colltree_version", info.colltree_version}};
}

Json counts_json(Collective collective, const CollectiveOverview& counts) {
  Json methods = Json::array();
  for (const Method& method : counts.methods) methods.push_back(method.label());
  return {{"collective", name(collective)},
          {"instances", counts.instances.size()},
          {"methods", methods},
          {"default", counts.has_default},
          {"communicator_sizes", counts.communicator_sizes},
          {"message_sizes", counts.message_sizes},
          {"ranks_per_node", ranks_per_node(counts)},
          {"ok", cells(counts, CellStatus::kOk)},
          {"failed", cells(counts, CellStatus::kFailed)},
          {"cannot_run", cells(counts, CellStatus::kCannotRun)},
          {"predicted", counts.predicted},
          {"samples", counts.samples}};
}

}  // namespace

std::vector<SystemOverview> overview(const Profile& profile,
                                     const std::optional<std::string>& system) {
  if (system) profile.require_system(system);
  std::map<std::string, SystemOverview> by_name;
  std::map<std::string, WantedCells> wanted;
  for (const SystemInfo& info : profile.systems()) by_name[info.name].system = info;
  for (const StoredCampaign& campaign : profile.campaigns()) {
    SystemOverview& of_name = by_name[campaign.info.system.name];
    of_name.campaigns.push_back(campaign);
    WantedCells& of_system = wanted[campaign.info.system.name];
    for (const Cell& cell : profile.cells(campaign.id)) count(of_name, of_system, cell);
  }
  for (auto& [name, of_name] : by_name) {
    for (const auto& [instance, method] : wanted[name].left())
      ++of_name.collectives[instance.collective].predicted;
  }
  std::vector<SystemOverview> overviews;
  for (auto& [name, of_name] : by_name) {
    if (!system || name == *system) overviews.push_back(std::move(of_name));
  }
  return overviews;
}

std::string overview_text(const SystemOverview& overview) {
  const SystemInfo& system = overview.system;
  std::string text = fmt::format("{}: {}{}{}{}{}\n", system.name, system.provenance,
                                 system.mpi.empty() ? "" : ", ", system.mpi,
                                 system.noise.empty() ? "" : ", noise ", system.noise);
  for (const StoredCampaign& campaign : overview.campaigns) text += campaign_line(campaign.info);
  for (const auto& [collective, counts] : overview.collectives) {
    text += collective_lines(collective, counts);
  }
  text += cell_lines("  without a time:\n", overview.not_ok, [](const Cell& cell) {
    return fmt::format("{}: {}", name(cell.status), cell.reason);
  });
  text += cell_lines("  measured while others used the machine or ranks shared cores:\n",
                     overview.disturbed, [](const Cell& cell) { return cell.reason; });
  return text;
}

Json overview_json(const SystemOverview& overview) {
  const SystemInfo& system = overview.system;
  Json json = {{"system", system.name},
               {"provenance", system.provenance},
               {"mpi", system.mpi},
               {"platform_hash", system.platform_hash},
               {"noise", system.noise},
               {"campaigns", Json::array()},
               {"collectives", Json::array()},
               {"without_time", Json::array()},
               {"disturbed", Json::array()}};
  for (const StoredCampaign& campaign : overview.campaigns) {
    json["campaigns"].push_back(campaign_json(campaign.info));
  }
  for (const auto& [collective, counts] : overview.collectives) {
    json["collectives"].push_back(counts_json(collective, counts));
  }
  for (const Cell& cell : overview.not_ok) json["without_time"].push_back(cell_json(cell));
  for (const Cell& cell : overview.disturbed) json["disturbed"].push_back(cell_json(cell));
  return json;
}

}  // namespace colltree::profile
