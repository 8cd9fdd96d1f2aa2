// SPDX-License-Identifier: BSD-3-Clause
// IMB-MPI1 of the Intel MPI Benchmarks, versions 2.3 to 2021: a block each benchmark and number of
// processes, ended by a blank line.
//
//     # Benchmarking Allreduce
//     # #processes = 2
//     # ( 2 additional processes waiting in MPI_Barrier)
//     #----------------------------------------------------------------
//            #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
//                 0         1000         0.07         0.07         0.07
//
// Rows may have the benchmark's name in front, as scripts print them. Barrier has no #bytes; with
// -DCHECK there is a last column "defects". Tables of benchmarks that are no blocking collectives
// are left out: point-to-point, IMB-NBC, IMB-RMA and others.
#include <algorithm>
#include <optional>

#include "base/text.h"
#include "profile/importers/results_file.h"
#include "profile/importers/timing_rows.h"

namespace colltree::profile {

namespace {

// Words in place of a row's times: the size was not measured.
constexpr std::string_view kImbNotMeasured[] = {"out-of-mem.;", "time-out.;", "int-overflow.;"};

constexpr std::string_view kImbBenchmark = "# Benchmarking ";

class ImbReader : public ResultsReader {
 public:
  ImbReader(TimingRows& rows, std::string_view time_column)
      : rows_(rows), time_column_("t_" + std::string(time_column) + "[usec]") {}

  void line(std::string_view line) override {
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty()) return rows_.see_gap();
    const bool is_header = std::ranges::find(words, "#repetitions") != words.end();
    if (line.starts_with(kImbBenchmark)) return benchmark(words);
    if (line.find("MPI Benchmark") != std::string_view::npos) return rows_.set_tool(title(line));
    if (words[0] == "#" && words.size() > 1 && words[1] == "#processes") return processes(words);
    if (is_header) return header(words);
    if (line.starts_with('#')) return;
    if (in_table_) {
      const std::vector<std::string_view> row = without_name(words);
      return table_line(row, line.substr(static_cast<std::size_t>(row[0].data() - line.data())));
    }
    const bool looks_like_row =
        collective_ && !has_header_ && words.size() > 1 && are_numbers(words);
    if (looks_like_row) rows_.expected("'#bytes #repetitions ...' above the rows", line);
  }

  void end() override {
    if (!has_benchmark_) rows_.ends_before("'# Benchmarking NAME'");
    close();
  }

 private:
  static std::string_view title(std::string_view line) {
    while (line.starts_with('#')) line.remove_prefix(1);
    return trim(line);
  }

  void close() {
    if (collective_ && !rows_.has_rows()) rows_.leave_out("tables without rows");
  }

  void benchmark(const std::vector<std::string_view>& words) {
    close();
    in_table_ = has_header_ = false;
    rows_.begin_table();
    has_benchmark_ = true;
    ranks_.reset();
    if (words.size() < 3) rows_.expected("'# Benchmarking NAME'", words.back());
    collective_ = find_called_collective(words[2]);
    if (collective_) return;
    rows_.leave_out("tables of " + printable(words[2].substr(0, 100)) + ", which is no " +
                    (lower(words[2]).starts_with('i') ? "blocking collective" : "collective"));
  }

  void processes(const std::vector<std::string_view>& words) {
    if (words.size() != 4 || words[2] != "=") rows_.expected("'# #processes = N'", words.back());
    ranks_ = rows_.ranks(words[3], "#processes", "'# #processes = N'");
  }

  void header(const std::vector<std::string_view>& words) {
    if (!has_benchmark_) rows_.expected("'# Benchmarking NAME' above the table", words[0]);
    in_table_ = collective_.has_value();
    if (!in_table_) return;
    if (!ranks_) rows_.expected("'# #processes = N' above the table", words[0]);
    if (words[0] != "#bytes" && words[0] != "#repetitions") {
      rows_.expected("a table of one group of processes", words[0]);
    }
    const bool has_sizes = words[0] == "#bytes";
    if (has_sizes == (*collective_ == Collective::kBarrier)) {
      rows_.expected(has_sizes ? "no #bytes: this is Barrier" : "a column '#bytes'", words[0]);
    }
    const auto time = index_of(words, time_column_);
    if (!time) rows_.expected("a column '" + time_column_ + "'", words.back());
    time_ = *time;
    defects_ = index_of(words, "defects").value_or(words.size());
    columns_ = words.size();
    has_header_ = true;
  }

  void table_line(const std::vector<std::string_view>& words, std::string_view line) {
    if (words.size() > 1 &&
        std::ranges::find(kImbNotMeasured, words[1]) != std::end(kImbNotMeasured)) {
      return rows_.leave_out("sizes that IMB did not measure (" + std::string(words[1]) + ")");
    }
    const bool is_like_row = parse_number<std::uint64_t>(words[0]).has_value();
    if (rows_.is_row(words, line, {columns_, columns_ - time_}, is_like_row)) row(words, line);
  }

  // Removes the name and the processes in front: "Allreduce 96 8 1000 ...", "Allreduce: 8 1000
  // ...".
  std::vector<std::string_view> without_name(std::vector<std::string_view> words) const {
    std::string_view name = words[0];
    if (name.ends_with(':')) name.remove_suffix(1);
    if (words.size() <= columns_ || find_called_collective(name) != collective_) return words;
    words.erase(words.begin());
    if (words.size() > columns_ && parse_number<std::uint64_t>(words[0]) == ranks_)
      words.erase(words.begin());
    return words;
  }

  void row(const std::vector<std::string_view>& words, std::string_view line) {
    if (defects_ < columns_ && find_scaled(words[defects_], 0) != 0.0) {
      rows_.wrong("IMB found a wrong result here (column defects)");
    }
    FileTiming timing;
    timing.facts.collective = collective_;
    timing.facts.communicator_size = ranks_;
    if (*collective_ != Collective::kBarrier) timing.bytes = rows_.whole(words[0], "#bytes");
    rows_.take_size(timing.bytes, line);
    timing.time_us = rows_.time_us(words[time_], time_column_);
    rows_.add(timing);
  }

  TimingRows& rows_;
  std::string time_column_;
  std::optional<Collective> collective_;
  std::optional<std::uint64_t> ranks_;
  std::size_t columns_ = 0, time_ = 0, defects_ = 0;
  bool has_benchmark_ = false;
  bool in_table_ = false;  // of a collective
  bool has_header_ = false;
};

}  // namespace

ResultsFormat importers::imb() {
  return {.name = "imb",
          .tool = "Intel MPI Benchmarks",
          .sizes = "as here",
          .time_columns = {"avg", "min", "max"},
          .own_pattern = "",
          .marks = {kImbBenchmark, "#    Intel(R) MPI Benchmark", "#    Intel (R) MPI Benchmark"},
          .open = open_reader<ImbReader>};
}

}  // namespace colltree::profile
