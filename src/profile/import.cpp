// SPDX-License-Identifier: BSD-3-Clause
#include "profile/import.h"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "base/error.h"
#include "base/input.h"
#include "base/json.h"
#include "profile/csv.h"
#include "profile/split_placements.h"

namespace colltree::profile {

namespace {

const char* word(MessageSizeConvention convention) {
  return convention == MessageSizeConvention::kTotal ? "total" : "block";
}

constexpr std::size_t kMostWaiting = 4096;  // samples that wait to be recorded

// Takes the rows of a file and puts them into a profile.
class Importer {
 public:
  Importer(Profile& into, const std::string& file, const ImportOptions& options)
      : into_(into), file_(file), options_(options) {}

  void add(const CsvRow& row) { rows_.add(row); }

  // The rows of a benchmark's output have message sizes in our meaning already.
  void set_origin(const ResultsFile& results) {
    const ResultsFormat& format = *results.format();
    if (options_.convention) {
      throw UsageError(fmt::format("{}: it is {}, whose sizes are known: --message-size is for CSV",
                                   file_, format.tool));
    }
    const TimingRows& rows = results.rows();
    is_ours_ = true;
    origin_ = {{"format", format.name},
               {"sizes", format.sizes},
               {"time_column", results.time_column()},
               {"tool", rows.tool()}};
    report_.tool = rows.tool().empty() ? std::string(format.name)
                                       : fmt::format("{}, {}", format.name, rows.tool());
    report_.left_out = rows.left_out();
    report_.notes = rows.notes();
  }

  // `results` is the file that the rows were read from.
  ImportReport store(const ResultsFile& results) {
    rows_.close();
    if (options_.split_placements) split_placements(rows_);
    report_.rows = rows_.rows().size();
    rows_.sort_canonically();
    report_.repeats = count_repeats();
    if (is_ours_ && options_.owners != nullptr)
      note_cells_of_others(*options_.owners, results.rows());
    hashes_as_read_ = hash_systems();
    hashes_ = hashes_as_read_;
    if (is_ours_) {
      // Converted already.
    } else if (convention() == MessageSizeConvention::kTotal) {
      rows_.sort_by_line();
      convert_totals();
      rows_.sort_canonically();
      hashes_ = hash_systems();
    } else {
      report_.blocks =
          static_cast<std::size_t>(std::ranges::count_if(rows_.rows(), [](const PackedRow& row) {
            return message_unit(row.collective) == MessageUnit::kBlock;
          }));
    }
    into_.in_transaction([this] { store_systems(); });
    return report_;
  }

 private:
  std::size_t count_repeats() {
    const std::vector<PackedRow>& rows = rows_.rows();
    std::size_t repeats = 0;
    for (std::size_t i = 1; i < rows.size(); ++i) repeats += same_row(rows[i - 1], rows[i]) ? 1 : 0;
    return repeats;
  }

  // Runs in several files fall into one cell if nothing distinguishes them.
  void note_cells_of_others(CellOwners& owners, const TimingRows& read) {
    std::map<std::string, std::size_t> others;
    const std::vector<PackedRow>& rows = rows_.rows();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i > 0 && same_point(rows[i - 1], rows[i])) continue;
      const CsvRow row = rows_.unpacked(rows[i]);
      const Facts& facts = read.facts_at(row.system, row.instance, row.method);
      const auto [found, is_new] =
          owners.try_emplace({row.system, row.instance, row.method}, CellOwner{file_, facts});
      if (is_new) continue;
      const CellOwner& owner = found->second;
      ++others[owner.file];
      if (const std::string what = difference(owner.facts, facts, true); !what.empty())
        throw ParseError(file_, row.line,
                         fmt::format("this size stands in {} too, of another run: {}; import each "
                                     "run with a --system of its own",
                                     owner.file, what));
    }
    for (const auto& [file, count] : others) {
      ++report_
            .notes[fmt::format("{} sizes stand in {} too and are kept as repeats of one run; a "
                               "run with other ranks or settings needs a system of its own",
                               count, file)]
            .count;
    }
  }

  // One hash for each system, of its rows as canonical CSV; it identifies the import.
  std::vector<std::string> hash_systems() {
    std::vector<std::string> hashes;
    std::size_t row = 0;
    for (std::uint32_t system = 0; system < rows_.systems().size(); ++system) {
      ContentHasher hasher;
      hasher.add(fmt::format("{}\n", kCsvHeader));
      for (; row < rows_.rows().size() && rows_.rows()[row].system == system; ++row) {
        hasher.add(plain_csv_line(rows_.unpacked(rows_.rows()[row])));
      }
      hashes.push_back(hasher.hash());
    }
    return hashes;
  }

  struct Total {
    std::uint64_t bytes;
    std::uint32_t line;
  };

  // Divides totals into blocks. Two totals with the same block would be taken for the same point.
  void convert_totals() {
    std::map<std::pair<std::uint32_t, Instance>, Total> totals;
    for (PackedRow& row : rows_.rows()) {
      if (message_unit(row.collective) != MessageUnit::kBlock) continue;
      const std::uint64_t total = row.message_size;
      row.message_size = total / row.communicator_size;
      ++report_.converted;
      report_.remainders += total % row.communicator_size != 0 ? 1 : 0;
      const Total& first =
          totals.try_emplace({row.system, instance_of(row)}, Total{total, row.line}).first->second;
      if (first.bytes == total) continue;
      throw ParseError(
          file_, row.line,
          fmt::format("totals of {} B (line {}) and {} B are the same block of {} B on {} ranks; "
                      "leave one out, or is this file --message-size block?",
                      first.bytes, first.line, total, row.message_size, row.communicator_size));
    }
  }

  CampaignInfo campaign_of(std::uint32_t system) const {
    const PackedRows::System& origin = rows_.systems()[system];
    return {.system = {origin.name, kProvenanceImported, origin.mpi, "", ""},
            .source = std::filesystem::path(file_).filename().string(),
            .options = options_text(),
            .config_hash = hashes_as_read_[system],
            .uid = hashes_[system]};
  }

  MessageSizeConvention convention() const {
    return options_.convention.value_or(MessageSizeConvention::kBlock);
  }

  std::string options_text() const {
    Json text = is_ours_ ? origin_ : Json{{"message_size", word(convention())}};
    if (options_.split_placements) text["split_placements"] = true;
    if (!options_.algorithms.empty()) text["algorithms"] = options_.algorithms;
    return text.dump();
  }

  void store_systems();
  void record_rows(std::uint32_t system, CampaignId campaign);

  Profile& into_;
  const std::string& file_;
  const ImportOptions& options_;
  PackedRows rows_;
  bool is_ours_ = false;                              // the rows' message sizes
  Json origin_;                                       // of rows that were no CSV
  std::vector<std::string> hashes_as_read_, hashes_;  // by system
  std::size_t next_ = 0;                              // the first row that is not recorded
  ImportReport report_;
};

// The same rows under the other convention would put each time at two message sizes. A campaign
// that is there already keeps its options.
void check_options(const Profile& profile, const std::vector<StoredCampaign>& campaigns,
                   const CampaignInfo& info) {
  for (const StoredCampaign& held : campaigns) {
    if (held.info.system.name != info.system.name || held.info.config_hash != info.config_hash)
      continue;
    const char* other = held.info.uid != info.uid ? "--message-size" : "--algorithms";
    if (held.info.uid == info.uid && owner_of_algorithms(held.info) == owner_of_algorithms(info))
      continue;
    throw Error(fmt::format(
        "{}: holds these timings of '{}' already, imported under the other {}; give another file",
        profile.path().string(), info.system.name, other));
  }
}

void Importer::store_systems() {
  const std::vector<StoredCampaign> held = into_.campaigns();
  report_.known = true;
  for (std::uint32_t system = 0; system < rows_.systems().size(); ++system) {
    const CampaignInfo info = campaign_of(system);
    check_options(into_, held, info);
    report_.systems.push_back(info.system.name);
    const bool known = std::ranges::any_of(
        held, [&](const StoredCampaign& stored) { return stored.info.uid == info.uid; });
    report_.known = report_.known && known;
    record_rows(system, into_.begin_campaign(info));
  }
}

// Records whole cells, a limited number at a time, within the transaction of the whole import.
void Importer::record_rows(std::uint32_t system, CampaignId campaign) {
  const std::vector<PackedRow>& rows = rows_.rows();
  std::vector<Cell> cells;
  std::size_t waiting = 0;
  const auto record = [&] {
    into_.record(campaign, cells);
    cells.clear();
    waiting = 0;
  };
  for (; next_ < rows.size() && rows[next_].system == system; ++next_) {
    const CsvRow row = rows_.unpacked(rows[next_]);
    if (cells.empty() || !same_point(rows[next_ - 1], rows[next_])) {
      if (waiting >= kMostWaiting) record();
      cells.push_back({.key = {.instance = row.instance, .method = row.method}});
    }
    cells.back().samples.push_back(row.sample);
    ++waiting;
  }
  record();
}

}  // namespace

ImportReport import_file(Profile& into, const CsvLines& lines, const std::string& file,
                         const ImportOptions& options) {
  Importer importer(into, file, options);
  ResultsFile results(file, options.results, [&](const CsvRow& row) { importer.add(row); });
  lines([&](std::string_view line) { results.line(line); });
  results.end();
  if (results.format() != nullptr) importer.set_origin(results);
  return importer.store(results);
}

std::string owner_of_algorithms(const CampaignInfo& campaign) {
  if (campaign.system.provenance != kProvenanceImported) return campaign.source;
  const std::optional<Json> options = Json::try_parse(campaign.options);
  return options && options->is_object() ? json_string_or(*options, "algorithms", "") : "";
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

bool is_database(const std::filesystem::path& file) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return false;
  char start[kMagic.size()] = {};
  std::ifstream(file, std::ios::binary).read(start, sizeof start);
  return std::string_view(start, sizeof start) == kMagic;
}

std::string export_csv(const Profile& profile, const std::optional<std::string>& system) {
  if (system) profile.require_system(system);
  std::vector<CsvRow> rows;
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

}  // namespace colltree::profile
