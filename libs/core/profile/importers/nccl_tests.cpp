// SPDX-License-Identifier: BSD-3-Clause
// nccl-tests and rccl-tests: the ranks with their hosts, a header of three lines, rows.
//
//     # Collective test starting: all_reduce_perf
//     # nThread 1 nGpus 1 minBytes 1048576 maxBytes 134217728 step: 2(factor) ...
//     #  Rank  0 Group  0 Pid  15784 on  nid007106 device  0 [0009:01:00] NVIDIA GH200 120GB
//     #                                                       out-of-place                in-place
//     #       size         count      type   redop    root     time   algbw   busbw  #wrong time #
//     (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)
//          1048576        262144     float     sum      -1   339.61    3.09    3.09       0 335.85
//
// The collective stands in the file since version 2.17; redop, root and #wrong are not in all. A
// cell may be blank, so times are counted from the end. Tests that are no collectives are left out.
#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "base/text.h"
#include "profile/importers/results_file.h"
#include "profile/importers/timing_rows.h"

namespace colltree::profile {

namespace {

constexpr std::string_view kNcclTest = "# Collective test starting: ";
constexpr std::string_view kNcclSizes = "# nThread";  // older rccl-tests have a colon behind it
constexpr std::size_t kNcclLeastWords = 5;            // of a row

class NcclReader : public ResultsReader {
 public:
  NcclReader(TimingRows& rows, std::string_view time_column)
      : rows_(rows), in_place_(time_column == "in-place") {}

  void line(std::string_view line) override {
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty()) return;
    if (line.starts_with("# nccl-tests") || line.starts_with("# rccl-tests")) {
      return rows_.set_tool(line.substr(2));
    }
    if (line.starts_with(kNcclSizes))
      rows_.run().say("options", line.substr(std::min(line.find("agg iters"), line.size())));
    if (line.starts_with(kNcclTest)) return test(words.back());
    if (is_left_out_) return;
    if (line.starts_with("# Out of bounds values") || line.starts_with(kNcclSizes)) {
      return end_of_table();
    }
    if (words[0] != "#") {
      if (!header_.empty()) return table_line(words, line);
      const bool looks_like_row = ranks_ > 0 && words.size() > kNcclLeastWords &&
                                  parse_number<std::uint64_t>(words[0]) &&
                                  parse_number<std::uint64_t>(words[1]);
      if (looks_like_row) rows_.expected("'# size count type ... time' above the rows", line);
      return;  // of the launcher
    }
    if (words.size() < 2) return;
    if (words[1] == "Rank") return rank(words);
    if (words[1] == "size") return header(words);
    if (words[1] == "(B)") return units(words);
  }

  void end() override {
    if (!has_header_ && !is_left_out_) rows_.ends_before("'# size count type ... time'");
  }

 private:
  void end_of_table() {
    header_.clear();
    hosts_.clear();
    ranks_ = 0;
  }

  // `program` is "all_reduce_perf" or "all_reduce_perf_mpi".
  void test(std::string_view program) {
    end_of_table();
    const std::string_view name = program.substr(0, program.find("_perf"));
    collective_ = find_called_collective(name.substr(name.rfind('/') + 1));
    is_left_out_ = !collective_;
    if (is_left_out_) {
      rows_.leave_out("tables of " + printable(program.substr(0, 100)) +
                      ", which is no collective");
    }
  }

  void rank(const std::vector<std::string_view>& words) {
    const auto on = std::ranges::find(words, "on");
    if (words.end() - on < 2) rows_.expected("'# Rank N ... on HOST device'", words.back());
    const auto group = std::ranges::find(words, "Group");
    if (words.end() - group >= 2 && *(group + 1) != "0") {
      rows_.expected("one communicator (Group 0)", *(group + 1));
    }
    if (rows_.whole(words[2], "Rank") != ranks_) {
      rows_.expected("rank " + std::to_string(ranks_) + " next", words[2]);
    }
    ++ranks_;
    ++hosts_[std::string(*(on + 1))];
  }

  void header(const std::vector<std::string_view>& words) {
    header_.assign(words.begin() + 1, words.end());  // without '#'
    has_header_ = true;
    rows_.begin_table();
    auto time = std::ranges::find(header_, "time");
    if (in_place_ && time != header_.end()) time = std::find(time + 1, header_.end(), "time");
    if (time == header_.end()) rows_.expected("a column 'time'", header_.back());
    time_ = static_cast<std::size_t>(header_.end() - time);
    const std::size_t before = header_.size() - time_;
    blank_ = before > 2 ? before - 2 : 0;
    const std::size_t next = before + 3;
    checked_ = next < header_.size() && header_[next] == "#wrong";
  }

  // The first unit of a time is the first word in parentheses behind the elements.
  void units(const std::vector<std::string_view>& words) {
    const auto unit = std::ranges::find(words, "(elements)");
    if (words.end() - unit < 2 || *(unit + 1) != "(us)") {
      rows_.expected("times in (us)", words.end() - unit < 2 ? words.back() : *(unit + 1));
    }
  }

  void table_line(const std::vector<std::string_view>& words, std::string_view line) {
    const bool is_like_row = parse_number<std::uint64_t>(words[0]).has_value();
    if (rows_.is_row(words, line, {header_.size(), time_, blank_}, is_like_row)) row(words);
  }

  void row(const std::vector<std::string_view>& words) {
    const std::size_t time_place = words.size() - time_;
    if (checked_ && words[time_place + 3] != "N/A" &&
        find_scaled(words[time_place + 3], 0) != 0.0) {
      rows_.wrong("a wrong result here (column #wrong)");
    }
    FileTiming timing;
    timing.bytes = rows_.whole(words[0], "size");
    timing.count = SizeCount::kWhole;
    timing.time_us = rows_.time_us(words[time_place], "column time");
    if (timing.bytes == 0)
      return rows_.leave_out("sizes of 0 bytes, which nccl-tests does not run");
    timing.facts.collective = collective_;
    if (words.size() == header_.size()) {
      for (const char* name : {"type", "redop"}) {
        const auto found = std::ranges::find(header_, name);
        if (found == header_.end()) continue;
        if (!timing.variant.empty()) timing.variant += ' ';
        timing.variant += words[static_cast<std::size_t>(found - header_.begin())];
      }
    }
    if (ranks_ > 0) say_ranks(timing.facts);
    rows_.add(timing);
  }

  void say_ranks(FileFacts& facts) const {
    facts.communicator_size = ranks_;
    facts.nodes = hosts_.size();
    const std::uint64_t first = hosts_.begin()->second;
    if (std::ranges::all_of(hosts_, [&](const auto& host) { return host.second == first; })) {
      facts.ranks_per_node = first;
    }
  }

  TimingRows& rows_;
  bool in_place_;
  std::optional<Collective> collective_;
  std::uint64_t ranks_ = 0;
  std::map<std::string, std::uint64_t> hosts_;  // ranks of each
  std::vector<std::string> header_;             // empty: not in a table
  std::size_t time_ = 0;                        // from the end of a row
  std::size_t blank_ = 0;  // cells before it that may be blank: all but size and count
  bool checked_ = false;
  bool is_left_out_ = false;
  bool has_header_ = false;
};

}  // namespace

ResultsFormat importers::nccl_tests() {
  return {.name = "nccl-tests",
          .tool = "nccl-tests or rccl-tests",
          .sizes =
              "of the whole buffer; divided by the ranks but for all_reduce, broadcast, reduce and "
              "reduce_scatter",
          .time_columns = {"out-of-place", "in-place"},
          .own_pattern = "{collective}_perf*",
          .marks = {kNcclTest, kNcclSizes, "# nccl-tests", "# rccl-tests"},
          .open = open_reader<NcclReader>};
}

}  // namespace colltree::profile
