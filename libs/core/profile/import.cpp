// SPDX-License-Identifier: BSD-3-Clause
#include "profile/import.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

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

  void add(const CsvRow& row) {
    ++report_.rows;
    if (last_ == nullptr || last_->first != std::tie(row.system, row.instance, row.method)) {
      last_ = &*cells_.try_emplace({row.system, row.instance, row.method}).first;
      libraries_.try_emplace(row.system, row.mpi);
    }
    last_->second.push_back({row.sample, row.line});
  }

  // The rows of a benchmark's output have message sizes in our meaning already.
  void set_origin(const ResultsFile& results) {
    const ResultsFormat& format = *results.format();
    if (options_.convention) {
      throw UsageError(fmt::format(
          "{}: it is {}, whose sizes are known: --message-sizes is for CSV", file_, format.tool));
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
    if (options_.split_placements) {
      const auto libraries = std::exchange(libraries_, {});
      for (const auto& [system, origin] : split_placements(cells_))
        libraries_.emplace(system, libraries.at(origin));
    }
    for (auto& [cell, samples] : cells_) {
      std::ranges::sort(samples);
      for (std::size_t i = 1; i < samples.size(); ++i)
        report_.repeats += samples[i - 1].sample == samples[i].sample ? 1 : 0;
    }
    if (is_ours_ && options_.owners != nullptr)
      note_cells_of_others(*options_.owners, results.rows());
    hashes_as_read_ = hash_systems();
    if (!is_ours_ && convention() == MessageSizeConvention::kTotal) convert_totals();
    hashes_ = report_.converted > 0 ? hash_systems() : hashes_as_read_;
    if (!is_ours_ && convention() == MessageSizeConvention::kBlock) {
      for (const auto& [cell, samples] : cells_)
        report_.blocks += has_blocks(cell) ? samples.size() : 0;
    }
    into_.in_transaction([this] { store_systems(); });
    return report_;
  }

 private:
  static bool has_blocks(const SystemCell& cell) {
    return message_unit(std::get<Instance>(cell).collective) == MessageUnit::kBlock;
  }

  // Runs in several files fall into one cell if nothing distinguishes them.
  void note_cells_of_others(CellOwners& owners, const TimingRows& read) {
    std::map<std::string, std::size_t> others;
    for (const auto& [cell, samples] : cells_) {
      const auto& [system, instance, method] = cell;
      const Facts& facts = read.facts_at(system, instance, method);
      const auto [found, is_new] = owners.try_emplace(cell, file_, facts);
      if (is_new) continue;
      const auto& [file, known] = found->second;
      ++others[file];
      if (const std::string what = difference(known, facts, true); !what.empty())
        throw ParseError(file_, samples.front().line,
                         fmt::format("this size stands in {} too, of another run: {}; import each "
                                     "run with a --system of its own",
                                     file, what));
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
  std::map<std::string, std::string> hash_systems() const {
    std::map<std::string, ContentHasher> hashers;
    for (const auto& [cell, samples] : cells_) {
      const auto& [system, instance, method] = cell;
      const auto [hasher, is_new] = hashers.try_emplace(system);
      if (is_new) hasher->second.add(fmt::format("{}\n", kCsvHeader));
      for (const ReadSample& read : samples)
        hasher->second.add(
            plain_csv_line({system, instance, method, read.sample, libraries_.at(system)}));
    }
    std::map<std::string, std::string> hashes;
    for (auto& [system, hasher] : hashers) hashes.emplace(system, hasher.hash());
    return hashes;
  }

  // Divides totals into blocks. Two totals with the same block would be taken for the same point.
  void convert_totals() {
    std::map<std::size_t, ReadCells::node_type> by_line;  // the first of each cell
    while (!cells_.empty()) {
      const std::size_t line = std::ranges::min(cells_.begin()->second, {}, &ReadSample::line).line;
      by_line.emplace(line, cells_.extract(cells_.begin()));
    }
    // The bytes of the total, and its line.
    std::map<std::pair<std::string, Instance>, std::pair<std::uint64_t, std::size_t>> totals;
    for (auto& [line, moved] : by_line) {
      if (has_blocks(moved.key())) {
        auto& [system, instance, method] = moved.key();
        const std::uint64_t total = instance.message_size;
        const std::size_t rows = moved.mapped().size();
        instance.message_size = total / instance.communicator_size;
        report_.converted += rows;
        report_.remainders += total % instance.communicator_size != 0 ? rows : 0;
        const auto& [first_bytes, first_line] =
            totals.try_emplace({system, instance}, total, line).first->second;
        if (first_bytes != total)
          throw ParseError(
              file_, line,
              fmt::format("totals of {} B (line {}) and {} B are the same block of {} B on {} "
                          "ranks; leave one out, or is this file --message-sizes block?",
                          first_bytes, first_line, total, instance.message_size,
                          instance.communicator_size));
      }
      cells_.insert(std::move(moved));
    }
  }

  CampaignInfo campaign_of(const std::string& system) const {
    return {.system = {system, kProvenanceImported, libraries_.at(system), "", ""},
            .source = std::filesystem::path(file_).filename().string(),
            .options = options_text(),
            .config_hash = hashes_as_read_.at(system),
            .uid = hashes_.at(system)};
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
  void record_cells(const std::string& system, CampaignId campaign);

  Profile& into_;
  const std::string& file_;
  const ImportOptions& options_;
  ReadCells cells_;
  ReadCells::value_type* last_ = nullptr;                       // of the row before
  std::map<std::string, std::string> libraries_;                // by system
  bool is_ours_ = false;                                        // the rows' message sizes
  Json origin_;                                                 // of rows that were no CSV
  std::map<std::string, std::string> hashes_as_read_, hashes_;  // by system
  ImportReport report_;
};

// The same rows under the other convention would put each time at two message sizes. A campaign
// that is there already keeps its options.
void check_options(const Profile& profile, const std::vector<StoredCampaign>& campaigns,
                   const CampaignInfo& info) {
  for (const StoredCampaign& held : campaigns) {
    if (held.info.system.name != info.system.name || held.info.config_hash != info.config_hash)
      continue;
    const char* other = held.info.uid != info.uid ? "--message-sizes" : "--source";
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
  for (const auto& [system, library] : libraries_) {
    const CampaignInfo info = campaign_of(system);
    check_options(into_, held, info);
    report_.systems.push_back(info.system.name);
    const bool known = std::ranges::any_of(
        held, [&](const StoredCampaign& stored) { return stored.info.uid == info.uid; });
    report_.known = report_.known && known;
    record_cells(system, into_.begin_campaign(info));
  }
}

// Records whole cells, a limited number at a time, within the transaction of the whole import.
void Importer::record_cells(const std::string& system, CampaignId campaign) {
  std::vector<Cell> cells;
  std::size_t waiting = 0;
  const auto record = [&] {
    into_.record(campaign, cells);
    cells.clear();
    waiting = 0;
  };
  for (const auto& [cell, samples] : cells_) {
    if (std::get<std::string>(cell) != system) continue;
    if (waiting >= kMostWaiting) record();
    cells.push_back(
        {.key = {.instance = std::get<Instance>(cell), .method = std::get<Method>(cell)}});
    for (const ReadSample& read : samples) cells.back().samples.push_back(read.sample);
    waiting += samples.size();
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
  return first_bytes(file, kMagic.size()) == kMagic;
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
