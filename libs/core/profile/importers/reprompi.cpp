// SPDX-License-Identifier: BSD-3-Clause
// ReproMPI (the format by its documentation, its outputs and the names that it prints; no code of
// it is here): settings as comments, a header, one repetition a line or, with --summary, one line a
// size.
//
//     #@datatype_size_bytes=1
//     #@nprocs=4
//                   test       nrep        count    runtime_sec
//          MPI_Allreduce          0            1   0.0000109819
//
//                   test        count total_nrep valid_nrep       mean_sec     median_sec
//          MPI_Allreduce            1         10         10   0.0000038767   0.0000027941
//
// `count` is in elements; a build may print `msize_bytes` instead. Window-based synchronisation
// adds `errorcode`: what is not 0 there is left out. GL_Allgather_as_Alltoall is allgather by the
// method ext:allgather_as_alltoall.
#include <optional>

#include "base/text.h"
#include "profile/importers/results_file.h"
#include "profile/importers/timing_rows.h"

namespace colltree::profile {

namespace {

constexpr std::string_view kReproRanks = "#@nprocs=";
constexpr std::string_view kReproElement = "#@datatype_size_bytes=";
constexpr std::string_view kReproCommit = "#@reproMPIcommitSHA1=";
constexpr std::string_view kReproMockup = "GL_";

class ReproReader : public ResultsReader {
 public:
  ReproReader(TimingRows& rows, std::string_view time_column)
      : rows_(rows), time_column_(std::string(time_column) + "_sec") {}

  void line(std::string_view line) override {
    if (line.starts_with(kReproRanks)) {
      ranks_ = rows_.ranks(line.substr(kReproRanks.size()), "nprocs", "nprocs from 1");
      return;
    }
    if (line.starts_with(kReproElement)) return element(line.substr(kReproElement.size()));
    if (line.starts_with(kReproCommit)) {
      return rows_.set_tool("ReproMPI " + std::string(line.substr(kReproCommit.size())));
    }
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty()) return;
    if (words[0] == "test" || words[0] == "process") return header(words);
    if (line.starts_with("# Benchmark started")) columns_.clear();
    if (line.starts_with('#')) return;
    if (!columns_.empty()) return table_line(words, line);
    if (is_test(words[0]) && words.size() > 3 && find_scaled(words.back(), 0))
      rows_.expected("a header 'test nrep count runtime_sec' above the rows", line);
  }

  void end() override {
    if (!has_header_) rows_.ends_before("a header 'test nrep count runtime_sec'");
  }

 private:
  void element(std::string_view number) {
    element_bytes_ = rows_.whole(trim(number), "datatype_size_bytes");
    if (*element_bytes_ < 1 || *element_bytes_ > 1024) {
      rows_.expected("datatype_size_bytes from 1 to 1024", number);
    }
  }

  void header(const std::vector<std::string_view>& words) {
    has_header_ = true;
    rows_.begin_table();
    columns_.assign(words.begin(), words.end());
    if (words[0] == "process") {
      rows_.expected("times of whole calls: run ReproMPI without -v", words[0]);
    }
    test_ = require("test");
    rep_ = index_of(columns_, "nrep");
    time_ = rep_ ? require("runtime_sec") : require(time_column_);
    error_ = index_of(columns_, "errorcode");
    is_bytes_ = index_of(columns_, "msize_bytes").has_value();
    size_ = is_bytes_ ? require("msize_bytes") : require("count");
    if (!is_bytes_ && !element_bytes_) {
      rows_.expected("'#@datatype_size_bytes=' above the table: its sizes are counts", "count");
    }
  }

  std::size_t require(const std::string& name) const {
    const auto found = index_of(columns_, name);
    if (!found) rows_.expected("a column '" + name + "'", columns_.back());
    return *found;
  }

  static bool is_test(std::string_view word) {
    return word.starts_with("MPI_") || word.starts_with(kReproMockup);
  }

  void table_line(const std::vector<std::string_view>& words, std::string_view line) {
    const bool is_like_row =
        (words.size() == columns_.size() && find_scaled(words[time_], 0)) ||
        (is_test(words[0]) && words.size() > 1 && parse_number<std::uint64_t>(words[1]));
    const RowShape shape{columns_.size(), columns_.size() - time_};
    if (rows_.is_row(words, line, shape, is_like_row)) row(words);
  }

  void row(const std::vector<std::string_view>& words) {
    FileTiming timing;
    if (!say_test(words[test_], timing.facts)) {
      return rows_.leave_out("times of " + std::string(words[test_]) + ", which is no collective");
    }
    if (error_ && words[*error_] != "0") {
      return rows_.leave_out("repetitions that missed their window (errorcode)");
    }
    timing.facts.communicator_size = ranks_;
    timing.count = SizeCount::kPerRank;
    timing.bytes = bytes(words[size_]);
    timing.time_us = rows_.time_us(words[time_], columns_[time_], 6);
    if (rep_) timing.rep = static_cast<std::int64_t>(rows_.whole(words[*rep_], "nrep"));
    if (timing.rep > static_cast<std::int64_t>(kMostReps)) rows_.expected("nrep", words[*rep_]);
    rows_.add(timing);
  }

  std::uint64_t bytes(std::string_view word) const {
    const std::uint64_t number = rows_.whole(word, columns_[size_]);
    if (is_bytes_) return number;
    if (number > kMostBytes / *element_bytes_) rows_.expected("a count", word);
    return number * *element_bytes_;
  }

  static bool say_test(std::string_view test, FileFacts& facts) {
    if (test.starts_with("MPI_")) {
      facts.collective = find_called_collective(test);
    } else if (test.starts_with(kReproMockup)) {
      const std::string mockup = lower(test.substr(kReproMockup.size()));
      facts.collective = find_called_collective(mockup.substr(0, mockup.find("_as_")));
      facts.method = Method{.algorithm = "ext:" + mockup};
    }
    return facts.collective.has_value();
  }

  TimingRows& rows_;
  std::string time_column_;
  std::optional<std::uint64_t> ranks_, element_bytes_;
  std::vector<std::string> columns_;  // empty: not in a table
  std::size_t test_ = 0, size_ = 0, time_ = 0;
  std::optional<std::size_t> rep_, error_;
  bool is_bytes_ = false;
  bool has_header_ = false;
};

}  // namespace

ResultsFormat importers::reprompi() {
  return {.name = "reprompi",
          .tool = "ReproMPI",
          .sizes =
              "of one rank, of one pair for alltoall; reduce_scatter's was multiplied by the ranks",
          .time_columns = {"median", "mean", "min", "max"},
          .own_pattern = "",
          .marks = {kReproCommit, kReproRanks, kReproElement},
          .open = open_reader<ReproReader>};
}

}  // namespace colltree::profile
