// SPDX-License-Identifier: BSD-3-Clause
// OSU micro-benchmarks, versions 3 to 7, plain and with -f: a title, a header, rows.
//
//     # OSU MPI Allreduce Latency Test v7.3
//     # Datatype: MPI_CHAR.
//     # Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
//     1                       4.34              4.10              4.60        1000
//
// Version 7 has the line of the datatype; the last three columns come with -f, others with -c, -z
// and derived types; osu_barrier has no sizes. Several outputs may follow each other. What a
// launcher writes before a header or behind the blank line under a table is passed over.
#include <algorithm>
#include <optional>

#include "profile/importers/results_format.h"
#include "profile/importers/timing_rows.h"

namespace colltree {

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

struct OsuDatatype {
  std::string_view name;
  std::uint64_t bytes;
};

constexpr OsuDatatype kOsuDatatypes[] = {{"MPI_CHAR", 1}, {"MPI_INT", 4}, {"MPI_FLOAT", 4}};
constexpr std::uint64_t kOsuReducedBytes = 4;  // MPI_FLOAT, where the file does not say

constexpr std::string_view kOsuTitle = "# OSU ";
constexpr std::string_view kOsuDatatype = "# Datatype: ";

struct OsuColumn {
  std::string_view word;  // of --time-column
  std::string_view name;
};

constexpr OsuColumn kOsuColumns[] = {{"avg", "Avg Latency(us)"},
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
    if (line.starts_with("# Size") || line.starts_with("# Avg Latency")) return header(line);
    if (line.starts_with(kOsuDatatype)) return datatype(line.substr(kOsuDatatype.size()));
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty()) {
      if (has_rows_) in_table_ = false;
      return;
    }
    if (line.starts_with('#')) return;
    if (in_table_) return row(line);
    const bool looks_like_row = test_ != nullptr && !has_header_ && is_digit(line.front());
    if (looks_like_row) rows_.expected("'# Size  Avg Latency(us)' above the rows", line);
    if (has_rows_ && words.size() == columns_ && are_numbers(words)) rows_.outside_table(line);
  }

  void end() override {
    if (test_ == nullptr) rows_.ends_before("'# OSU MPI ... Latency Test'");
    close();
  }

 private:
  static bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

  void close() {
    if (test_ != nullptr && !has_rows_) rows_.leave_out("tables without rows");
  }

  void title(std::string_view line) {
    close();
    in_table_ = has_header_ = has_rows_ = false;
    element_bytes_.reset();
    const std::string_view text = line.substr(kOsuTitle.size());
    const std::size_t blank = text.find(' ');
    const std::size_t end = text.find(" Latency Test");
    std::string_view name;
    if (text.starts_with("MPI") && end != std::string_view::npos && end > blank) {
      name = text.substr(blank + 1, end - blank - 1);
    }
    test_ = std::ranges::find(kOsuTests, name, &OsuTest::title);
    if (test_ == std::end(kOsuTests)) {
      rows_.expected(
          "the latency test of a blocking MPI collective ('# OSU MPI Broadcast Latency "
          "Test')",
          line);
    }
    rows_.set_tool(line.substr(2));
  }

  void header(std::string_view line) {
    if (test_ == nullptr) rows_.expected("'# OSU MPI ... Latency Test' above the table", line);
    const std::vector<std::string_view> names = cells_of(line.substr(2));
    const bool has_sizes = names.front() == "Size";
    if (has_sizes == (test_->collective == Collective::kBarrier)) {
      rows_.expected(has_sizes ? "no sizes: this is a barrier" : "a column 'Size'", line);
    }
    time_ = names.size();
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto is_it = [&](const OsuColumn& column) {
        return column.word == time_column_ && column.name == names[i];
      };
      if (std::ranges::any_of(kOsuColumns, is_it)) time_ = i;
      if (names[i] == "Validation") validation_ = i;
    }
    if (time_ == names.size()) {
      rows_.expected(time_column_ == "avg" ? "a column 'Avg Latency(us)'"
                                           : "the columns that OSU's option -f adds",
                     line);
    }
    if (std::ranges::find(names, "Validation") == names.end()) validation_ = names.size();
    columns_ = names.size();
    in_table_ = has_header_ = true;
  }

  void datatype(std::string_view name) {
    if (name.ends_with('.')) name.remove_suffix(1);
    const auto* found = std::ranges::find(kOsuDatatypes, name, &OsuDatatype::name);
    if (found != std::end(kOsuDatatypes)) element_bytes_ = found->bytes;
  }

  void row(std::string_view line) {
    rows_.expect_words(columns_, line);
    const std::vector<std::string_view> words = words_of(line);
    if (validation_ < columns_ && words[validation_] != "Pass") {
      rows_.wrong("OSU found a wrong result here (column Validation)");
    }
    FileTiming timing;
    timing.facts.collective = test_->collective;
    if (test_->collective != Collective::kBarrier) timing.bytes = rows_.whole(words[0], "Size");
    timing.count = test_->count;
    timing.element_bytes = element_bytes_.value_or(kOsuReducedBytes);
    timing.time_us = rows_.time_us(words[time_], "Latency(us)");
    rows_.add(timing);
    has_rows_ = true;
  }

  TimingRows& rows_;
  std::string_view time_column_;
  const OsuTest* test_ = nullptr;
  std::optional<std::uint64_t> element_bytes_;
  std::size_t columns_ = 0, time_ = 0, validation_ = 0;
  bool in_table_ = false;
  bool has_header_ = false;
  bool has_rows_ = false;
};

bool recognises_osu(std::string_view line) { return line.starts_with(kOsuTitle); }

std::unique_ptr<ResultsReader> open_osu(TimingRows& rows, std::string_view time_column) {
  return std::make_unique<OsuReader>(rows, time_column);
}

}  // namespace

ResultsFormat importers::osu() {
  return {
      .name = "osu",
      .tool = "OSU micro-benchmarks",
      .sizes =
          "of one rank, of one pair for alltoall; reduce_scatter_block's whole buffer was divided",
      .time_columns = {"avg", "min", "max"},
      .own_pattern = "",
      .recognises = recognises_osu,
      .open = open_osu};
}

}  // namespace colltree
