// SPDX-License-Identifier: BSD-3-Clause
#include "kit/import_results.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/input.h"
#include "base/text.h"
#include "kit/kit_format.h"
#include "measure/driver.h"
#include "measure/installed_library.h"
#include "measure/stored_part.h"

namespace colltree::kit {

namespace {

std::string flavour_of(const std::string& mpi) {
  for (const LibraryInfo& info : libraries()) {
    if (mpi.starts_with(fmt::format("{}-", info.name))) return std::string(info.name);
  }
  return "mpi";
}

profile::CampaignInfo campaign_of(const ResultsHead& head,
                                  const std::optional<std::string>& system) {
  const std::string mpi = measure::short_library_name(head.library);
  std::optional<Library> library;
  if (head.source != "portable") library = parse_library(head.source);
  profile::CampaignInfo info;
  info.system = measure::launched_system(head.host, flavour_of(mpi), mpi, library);
  if (system) info.system.name = *system;
  info.source = head.source;
  info.host = head.host;
  info.options = measure::launched_options("kit", head.stop, head.launcher, library);
  info.uid = "kit-" + content_hash(write_results_head(head));
  info.started_utc = head.started_utc;
  info.colltree_version = head.made_by;
  return info;
}

// Collects the cells of a results file in their order.
class KitLines {
 public:
  explicit KitLines(std::string file) : file_(std::move(file)), head_(file_) {}

  void take(std::string_view line) {
    ++line_;
    if (head_.take(line)) return;
    // Only the last line may have been cut off by a kill.
    if (broken_) throw ParseError(file_, broken_line_, "a report line", *broken_);
    const auto report = protocol::parse_report_line(line);
    if (!report) {
      broken_ = line;
      broken_line_ = line_;
      return;
    }
    if (const auto* result = std::get_if<protocol::CellResult>(&*report)) keep(*result);
  }

  ResultsHead head() const { return head_.head(); }
  const std::vector<profile::Cell>& cells() const { return cells_; }

 private:
  void keep(protocol::CellResult result) {
    if (result.failure)
      result.failure = printable(*result.failure);
    else
      check(result);
    add(result.cell, measure::stored_cell(result));
  }

  void check(const protocol::CellResult& measured) const {
    const auto& times = measured.samples_us;
    if (times.empty() || !std::all_of(times.begin(), times.end(), profile::is_time))
      refuse(fmt::format("times {}", profile::time_limits()), measured.cell);
    for (const std::uint64_t bytes : {measured.count, measured.type_size})
      if (bytes > profile::kMostBytes) refuse("a count and a size in bytes", measured.cell);
    for (const std::uint64_t number : {measured.layout.nodes, measured.layout.ranks_per_node})
      if (number == 0 || number > profile::kMostRanks)
        refuse("nodes and ranks per node", measured.cell);
  }

  void add(const protocol::PlanCell& plan_cell, profile::Cell cell) {
    if (plan_cell.instance.message_size > profile::kMostBytes ||
        plan_cell.method.segment_size.value_or(0) > profile::kMostBytes)
      refuse("a size in bytes", plan_cell);
    if (seen_.insert(plan_cell).second) cells_.push_back(std::move(cell));
  }

  [[noreturn]] void refuse(std::string_view expected, const protocol::PlanCell& cell) const {
    throw ParseError(file_, line_, expected, fmt::format("those of {}", protocol::cell_line(cell)));
  }

  std::string file_;
  ResultsHeadReader head_;
  std::size_t line_ = 0;
  std::optional<std::string> broken_;
  std::size_t broken_line_ = 0;
  std::set<protocol::PlanCell> seen_;
  std::vector<profile::Cell> cells_;
};

}  // namespace

bool is_kit_results(const std::filesystem::path& file) {
  const std::string start = first_bytes(file, kResultsHeader.size() + 4096);
  if (!Gunzip::is_gzip(start)) return start.starts_with(kResultsHeader);
  std::string content;
  Gunzip().append(start, content, std::uint64_t{1} << 24);
  return content.starts_with(kResultsHeader);
}

profile::ImportReport import_kit_results(profile::Profile& into, const profile::CsvLines& lines,
                                         const std::string& file,
                                         const std::optional<std::string>& system) {
  KitLines reader(file);
  lines([&reader](std::string_view line) { reader.take(line); });
  const ResultsHead head = reader.head();
  if (reader.cells().empty())
    throw Error(fmt::format("{}: no cell is measured in it yet; run the kit again", file));
  const profile::CampaignInfo info = campaign_of(head, system);
  measure::refuse_mixed_sources(into, info);
  const profile::CampaignId campaign = into.begin_campaign(info);
  const std::size_t before = into.cells(campaign).size();
  into.record(campaign, reader.cells());
  profile::ImportReport report;
  report.systems = {info.system.name};
  report.rows = reader.cells().size();
  report.known = into.cells(campaign).size() == before;
  report.tool = fmt::format("kit of colltree {}, {} on {}", printable(head.made_by),
                            info.system.mpi, printable(head.host));
  if (head.cells > report.rows)
    report.left_out["not measured yet: the same command continues the kit's run"].count =
        head.cells - report.rows;
  return report;
}

}  // namespace colltree::kit
