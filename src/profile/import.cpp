// SPDX-License-Identifier: BSD-3-Clause
#include "profile/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/file.h"

namespace colltree {

namespace {

const char* word(MessageSizeConvention convention) {
  return convention == MessageSizeConvention::kTotal ? "total" : "block";
}

using Rows = std::vector<CsvRow>;

std::map<std::string, Rows> by_system(const Rows& rows) {
  std::map<std::string, Rows> systems;
  for (const CsvRow& row : rows) systems[row.system].push_back(row);
  return systems;
}

// Divides totals into blocks. Two totals that give one block would be taken for the same point.
void convert_totals(Rows& rows, const std::string& file, ImportReport& report) {
  std::map<std::pair<std::string, Instance>, const CsvRow*> totals;
  const Rows as_read = rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Instance& instance = rows[i].instance;
    if (message_unit(instance.collective) != MessageUnit::kBlock) continue;
    const std::uint64_t total = instance.message_size;
    instance.message_size = total / instance.communicator_size;
    ++report.converted;
    report.remainders += total % instance.communicator_size != 0 ? 1 : 0;
    const CsvRow& first =
        *totals.try_emplace({rows[i].system, instance}, &as_read[i]).first->second;
    if (first.instance.message_size == total) continue;
    throw ParseError(
        file, rows[i].line,
        fmt::format("totals of {} B (line {}) and {} B are the same block of {} B on {} ranks; "
                    "leave one out, or is this file --message-size block?",
                    first.instance.message_size, first.line, total, instance.message_size,
                    instance.communicator_size));
  }
}

std::size_t count_repeats(Rows rows) {
  for (CsvRow& row : rows) row.line = 0;
  std::ranges::sort(rows);
  std::size_t repeats = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) repeats += rows[i] == rows[i - 1] ? 1 : 0;
  return repeats;
}

std::vector<Cell> cells_of(const Rows& rows) {
  std::map<CellKey, std::vector<Sample>> samples;
  for (const CsvRow& row : rows) {
    samples[CellKey{.instance = row.instance, .method = row.method}].push_back(row.sample);
  }
  std::vector<Cell> cells;
  for (auto& [key, list] : samples) cells.push_back({.key = key, .samples = std::move(list)});
  return cells;
}

CampaignInfo campaign_of(const Rows& as_read, const Rows& converted, const std::string& file,
                         MessageSizeConvention convention) {
  const std::string file_name = std::filesystem::path(file).filename().string();
  return {.system = {as_read.front().system, kProvenanceImported, as_read.front().mpi, "", ""},
          .source = file_name,
          .options = fmt::format(R"({{"message_size":"{}"}})", word(convention)),
          .config_hash = content_hash(canonical_csv(as_read)),
          .uid = content_hash(canonical_csv(converted))};
}

// The same rows under the other convention would put each time at two message sizes.
void check_convention(const Profile& profile, const std::vector<StoredCampaign>& campaigns,
                      const CampaignInfo& info) {
  for (const StoredCampaign& held : campaigns) {
    if (held.info.system.name != info.system.name || held.info.config_hash != info.config_hash ||
        held.info.uid == info.uid) {
      continue;
    }
    throw Error(fmt::format(
        "{}: holds these timings of '{}' already, imported under the other --message-size; give "
        "another file",
        profile.path().string(), info.system.name));
  }
}

bool holds(const std::vector<StoredCampaign>& campaigns, const std::string& uid) {
  return std::ranges::any_of(campaigns,
                             [&](const StoredCampaign& held) { return held.info.uid == uid; });
}

}  // namespace

ImportReport import_csv(Profile& into, std::string_view text, const std::string& file,
                        const ImportOptions& options) {
  ImportReport report;
  const Rows as_read = parse_csv(text, file);
  report.rows = as_read.size();
  report.repeats = count_repeats(as_read);
  Rows converted = as_read;
  if (options.convention == MessageSizeConvention::kTotal) convert_totals(converted, file, report);
  const std::map<std::string, Rows> read_rows = by_system(as_read);
  into.in_transaction([&] {
    const std::vector<StoredCampaign> held = into.campaigns();
    report.known = true;
    for (const auto& [system, rows] : by_system(converted)) {
      const CampaignInfo info = campaign_of(read_rows.at(system), rows, file, options.convention);
      check_convention(into, held, info);
      report.systems.push_back(system);
      report.known = report.known && holds(held, info.uid);
      into.record(into.begin_campaign(info), cells_of(rows));
    }
  });
  return report;
}

void merge(Profile& into, const Profile& from) {
  std::error_code ignored;
  if (std::filesystem::equivalent(into.path(), from.path(), ignored)) return;
  into.in_transaction([&] {
    for (const StoredCampaign& campaign : from.campaigns()) {
      into.record(into.begin_campaign(campaign.info), from.cells(campaign.id));
    }
  });
}

bool is_database(std::string_view content) {
  return content.starts_with(std::string_view("SQLite format 3\0", 16));
}

std::string export_csv(const Profile& profile, const std::optional<std::string>& system) {
  if (system) profile.require_system(system);
  Rows rows;
  for (const StoredCampaign& campaign : profile.campaigns()) {
    const SystemInfo& origin = campaign.info.system;
    if (system && origin.name != *system) continue;
    for (const Cell& cell : profile.cells(campaign.id)) {
      for (const Sample& sample : cell.samples) {
        rows.push_back({.system = origin.name,
                        .instance = cell.key.instance,
                        .method = cell.key.method,
                        .sample = sample,
                        .mpi = origin.mpi});
      }
    }
  }
  return canonical_csv(std::move(rows));
}

}  // namespace colltree
