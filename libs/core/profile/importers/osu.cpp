// SPDX-License-Identifier: BSD-3-Clause
// OSU micro-benchmarks, versions 3 to 7, plain and with -f: a title, a header, rows.
//
//     # OSU MPI Allreduce Latency Test v7.3
//     # Datatype: MPI_CHAR.
//     # Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
//     1                       4.34              4.10              4.60        1000
//
// Version 7 has the line of the datatype; the last three columns come with -f, others with -c, -z
// and derived types. Version 7.3 has them under a header of two names in the tests of GPUs;
// osu_barrier has no sizes. Several outputs may follow one after the next; those of other tests
// than blocking collectives are left out. A command line above a title may say the ranks.
#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "profile/importers/log_lines.h"
#include "profile/importers/results_file.h"
#include "profile/importers/timing_rows.h"

namespace colltree::profile {

namespace {

struct OsuTest {
  std::string_view title;  // between "# OSU MPI" and "Latency Test"
  Collective collective;
  SizeCount count = SizeCount::kAsHere;
};

constexpr OsuTest kOsuTests[] = {
    {"Allgather", Collective::kAllgather},
    {"Allgatherv", Collective::kAllgatherv},
    {"Allreduce", Collective::kAllreduce},
    {"All-to-All Personalized Exchange", Collective::kAlltoall},
    {"All-to-Allv Personalized Exchange", Collective::kAlltoallv},
    {"Barrier", Collective::kBarrier},
    {"Broadcast", Collective::kBcast},
    {"Gather", Collective::kGather},
    {"Gatherv", Collective::kGatherv},
    {"Reduce", Collective::kReduce},
    {"Reduce_scatter", Collective::kReduceScatter},
    {"Reduce_scatter_block", Collective::kReduceScatterBlock, SizeCount::kWhole},
    {"Scatter", Collective::kScatter},
    {"Scatterv", Collective::kScatterv},
};

// The bytes of an element of each type.
constexpr std::pair<std::string_view, std::uint64_t> kOsuDatatypes[] = {
    {"MPI_CHAR", 1}, {"MPI_INT", 4}, {"MPI_FLOAT", 4}};
constexpr std::uint64_t kOsuReducedBytes = 4;  // MPI_FLOAT, where the file does not say

constexpr std::string_view kOsuTitle = "# OSU ";
constexpr std::string_view kOsuDatatype = "# Datatype: ";

constexpr std::string_view kColumnsOfF = "the columns that OSU's option -f adds";

constexpr std::string_view kOsuWords[] = {"Size", "Iterations", "Validation"};

// The words of --columns time=NAME and the names of the columns.
constexpr std::pair<std::string_view, std::string_view> kOsuColumns[] = {
    {"avg", "Avg Latency(us)"},
    {"avg", "Latency(us)"},
    {"avg", "Latency (us)"},
    {"min", "Min Latency(us)"},
    {"max", "Max Latency(us)"}};

class OsuReader : public ResultsReader {
 public:
  OsuReader(TimingRows& rows, std::string_view time_column)
      : rows_(rows), time_column_(time_column) {}

  void line(std::string_view line) override {
    if (line.starts_with(kOsuTitle)) return title(line);
    const std::vector<std::string_view> words = words_of(line);
    if (const auto launch = find_echoed_launch(words, "osu_")) launch_ = launch;
    if (is_left_out_) return;
    if (line.starts_with("# Size") || line.starts_with("# Avg Latency")) return header(line);
    if (line.starts_with(kOsuDatatype)) return datatype(line.substr(kOsuDatatype.size()));
    if (words.empty()) rows_.see_gap();
    if (line.starts_with("# ")) rows_.run().head(line);
    if (words.empty() || line.starts_with('#')) return;
    if (in_table_) return table_line(words, line);
    const bool looks_like_row = test_ != nullptr && words.size() > 1 && are_numbers(words);
    if (looks_like_row) rows_.expected("'# Size  Avg Latency(us)' above the rows", line);
  }

  void end() override {
    if (!has_title_) rows_.ends_before("'# OSU MPI ... Latency Test'");
    close();
  }

 private:
  void close() {
    if (test_ != nullptr && !rows_.has_rows()) rows_.leave_out("tables without rows");
  }

  void title(std::string_view line) {
    close();
    in_table_ = false;
    rows_.begin_table();
    has_title_ = true;
    element_bytes_.reset();
    const std::string_view text = line.substr(kOsuTitle.size());
    const std::size_t blank = text.find(' ');
    const std::size_t end = text.find(" Latency Test");
    std::string_view name;
    if (text.starts_with("MPI") && end != std::string_view::npos && end > blank) {
      name = text.substr(blank + 1, end - blank - 1);
    }
    const auto* found = std::ranges::find(kOsuTests, name, &OsuTest::title);
    is_left_out_ = found == std::end(kOsuTests);
    test_ = is_left_out_ ? nullptr : found;
    if (is_left_out_) {
      return rows_.leave_out(fmt::format("tables of {}, which is no blocking collective of MPI",
                                         printable(text.substr(0, text.find(" Test")))));
    }
    rows_.set_tool(line.substr(2));
    rows_.run().say("test", line.substr(2));
    ranks_.reset();
    if (launch_ && find_called_collective(launch_->first) == test_->collective) {
      ranks_ = launch_->second;
    }
    launch_.reset();
  }

  void header(std::string_view line) {
    if (test_ == nullptr) rows_.expected("'# OSU MPI ... Latency Test' above the table", line);
    const std::vector<std::string_view> names = names_of(line.substr(2));
    const bool has_sizes = names.front() == "Size";
    if (has_sizes == (test_->collective == Collective::kBarrier)) {
      rows_.expected(has_sizes ? "no sizes: this is a barrier" : "a column 'Size'", line);
    }
    time_ = names.size();
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (std::ranges::count(kOsuColumns, std::pair(time_column_, names[i])) > 0) time_ = i;
      if (names[i] == "Validation") validation_ = i;
    }
    const bool may_be_short = names.size() == (has_sizes ? 2 : 1) &&
                              std::ranges::any_of(kOsuColumns, [&](const auto& column) {
                                return column.second == names.back();
                              });
    if (time_ == names.size() && !may_be_short) {
      rows_.expected(time_column_ == "avg" ? "a column 'Avg Latency(us)'" : kColumnsOfF, line);
    }
    header_ = line;
    if (std::ranges::find(names, "Validation") == names.end()) validation_ = names.size();
    columns_ = names.size();
    in_table_ = true;
    rows_.begin_table();
  }

  // If a web page merged blanks, a name ends with its unit or is one of kOsuWords.
  static std::vector<std::string_view> names_of(std::string_view line) {
    std::vector<std::string_view> names = cells_of(line);
    if (names.size() > 1) return names;
    names.clear();
    const char* begin = nullptr;
    for (const std::string_view word : words_of(line)) {
      if (begin == nullptr) begin = word.data();
      const bool ends =
          word.ends_with(')') || std::ranges::find(kOsuWords, word) != std::end(kOsuWords);
      if (!ends) continue;
      names.emplace_back(begin, static_cast<std::size_t>(word.data() + word.size() - begin));
      begin = nullptr;
    }
    return names.empty() ? cells_of(line) : names;
  }

  void datatype(std::string_view name) {
    if (name.ends_with('.')) name.remove_suffix(1);
    for (const auto& [datatype, bytes] : kOsuDatatypes) {
      if (datatype == name) element_bytes_ = bytes;
    }
  }

  // The first row shows the columns of -f that its header does not name: avg, min, max, iterations.
  void look_for_columns(const std::vector<std::string_view>& words) {
    const bool are_there =
        words.size() == columns_ + 3 && are_numbers(words) &&
        parse_number<std::uint64_t>(words.back()) &&
        find_scaled(words[columns_], 0) <= find_scaled(words[columns_ - 1], 0) &&
        find_scaled(words[columns_ - 1], 0) <= find_scaled(words[columns_ + 1], 0);
    if (are_there) {
      time_ = time_column_ == "avg"   ? columns_ - 1
              : time_column_ == "min" ? columns_
                                      : columns_ + 1;
      validation_ = columns_ = words.size();
      rows_.note("tables have the columns of -f without their names: avg, min, max, iterations");
    }
    if (time_ >= columns_) rows_.expected(kColumnsOfF, header_);
  }

  void table_line(const std::vector<std::string_view>& words, std::string_view line) {
    const bool has_sizes = test_->collective != Collective::kBarrier;
    const bool is_like_row = has_sizes ? parse_number<std::uint64_t>(words[0]).has_value()
                                       : find_scaled(words[0], 0).has_value();
    if (is_like_row && !rows_.has_rows() && columns_ == (has_sizes ? 2 : 1))
      look_for_columns(words);
    if (rows_.is_row(words, line, {columns_, columns_ - time_}, is_like_row)) row(words, line);
  }

  void row(const std::vector<std::string_view>& words, std::string_view line) {
    if (validation_ < columns_ && words[validation_] != "Pass") {
      rows_.wrong("OSU found a wrong result here (column Validation)");
    }
    FileTiming timing;
    timing.facts.collective = test_->collective;
    timing.echoed_ranks = ranks_;
    if (test_->collective != Collective::kBarrier) timing.bytes = rows_.whole(words[0], "Size");
    rows_.take_size(timing.bytes, line);
    timing.count = test_->count;
    timing.element_bytes = element_bytes_.value_or(kOsuReducedBytes);
    timing.time_us = rows_.time_us(words[time_], "Latency(us)");
    rows_.add(timing);
  }

  TimingRows& rows_;
  std::string_view time_column_;
  const OsuTest* test_ = nullptr;
  std::optional<std::uint64_t> element_bytes_;
  std::size_t columns_ = 0, time_ = 0, validation_ = 0;
  std::string header_;                  // of the table
  std::optional<EchoedLaunch> launch_;  // the last command line
  std::optional<std::uint64_t> ranks_;  // of this table, by that
  bool has_title_ = false;
  bool is_left_out_ = false;
  bool in_table_ = false;
};

}  // namespace

ResultsFormat importers::osu() {
  return {
      .name = "osu",
      .tool = "OSU micro-benchmarks",
      .sizes =
          "of one rank, of one pair for alltoall; reduce_scatter_block's whole buffer was divided",
      .time_columns = {"avg", "min", "max"},
      .own_pattern = "",
      .marks = {kOsuTitle},
      .open = open_reader<OsuReader>};
}

}  // namespace colltree::profile
