// SPDX-License-Identifier: BSD-3-Clause
// Where the readers of benchmarks' outputs put what they read: checked, in our units and meaning,
// with what the file's name and the command line say.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "profile/csv.h"
#include "profile/importers/file_facts.h"
#include "profile/importers/run_facts.h"

namespace colltree::profile {

// A line of a benchmark's output, taken apart.

// What stands between blanks and tabs.
std::vector<std::string_view> words_of(std::string_view line);

// What stands between two blanks or more, or tabs: names of columns that hold single blanks.
std::vector<std::string_view> cells_of(std::string_view line);

bool are_numbers(const std::vector<std::string_view>& words);

// The number x 10^exponent, rounded once, so that 0.0000109819 s is 10.9819 us and nothing beside;
// nothing when the text is no finite number.
std::optional<double> find_scaled(std::string_view number, int exponent);

// How a benchmark counts the bytes of a collective.
enum class SizeCount : std::uint8_t {
  kAsHere,   // as the glossary: block, message or total
  kPerRank,  // what one rank contributes or receives, also of reduce_scatter
  kWhole,    // the whole buffer: of block collectives all ranks' blocks
};

// One time as a file gives it.
struct FileTiming {
  FileFacts facts;  // as far as the file says them
  std::uint64_t bytes = 0;
  SizeCount count = SizeCount::kAsHere;
  // Of a whole buffer each rank has as many whole elements as all can have.
  std::uint64_t element_bytes = 1;
  double time_us = 0;
  std::int64_t rep = Sample::kAggregate;
  // By the command line that a log shows above the table; what is given goes before it.
  std::optional<std::uint64_t> echoed_ranks = std::nullopt;
  std::string variant = "";  // what else tells it from others of its cell: "float sum"
};

// Of lines of one kind: how many, and in which the first is (0: that tells nobody anything).
struct Counted {
  std::size_t count = 0;
  std::size_t first_line = 0;

  std::string text() const;  // "(3, the first in line 12)"
};

// The columns of a table.
struct RowShape {
  std::size_t columns = 0;
  std::size_t time_from_end = 1;  // which of them has the time: 1 = the last
  std::size_t blank = 0;          // how many may be empty
};

// Every error is a ParseError that names the file and the present line, but for what only the
// command line can say: UsageError.
class TimingRows {
 public:
  // `given`: what the file's name and the command line say.
  TimingRows(std::string file, FileFacts given, std::function<void(const CsvRow& row)> take);

  void at_line(std::size_t number) { line_ = number; }

  void add(const FileTiming& timing);
  // What is understood and not imported, counted in the report: "tables of PingPong".
  void leave_out(const std::string& what) { ++left_out_[what].count; }
  // What the report says beside that.
  void note(const std::string& what) { ++notes_[what].count; }
  // Whether this line of a table is a row of it. A line of another program (a prompt, a launcher's
  // warning) is left out and counted, and so is a row that was cut off or written into; but the
  // first row of a table, which shows whether its header was understood, must be whole.
  bool is_row(const std::vector<std::string_view>& words, std::string_view line,
              const RowShape& shape, bool is_like_row, bool has_rows);
  // The collective of this file: its own word, or what was given. For names of methods.
  Collective collective(std::optional<Collective> said) const;

  // The word as a whole number of at most kMostBytes, or as a time; `column` is for messages.
  std::uint64_t whole(std::string_view word, std::string_view column) const;
  // The time in 10^exponent microseconds. 0 where it is shorter than the file's digits can say.
  double time_us(std::string_view word, std::string_view column, int exponent = 0) const;

  [[noreturn]] void wrong(std::string_view message) const;
  [[noreturn]] void expected(std::string_view what, std::string_view got) const;
  [[noreturn]] void ends_before(std::string_view what) const;
  // Of what looks like a row where the table should have ended.
  [[noreturn]] void outside_table(std::string_view line) const;
  // Checks a row of a table with `columns` columns, of which the last few may be blank.
  void expect_words(std::size_t columns, std::string_view line, std::size_t blank = 0) const;

  // What made the file: "OSU MPI Allreduce Latency Test v7.3".
  void set_tool(std::string_view tool);
  const std::string& tool() const { return tool_; }

  // The facts of the run that the next rows belong to.
  RunFacts& run() { return run_; }
  // The facts of the first run of a cell, which others of it share.
  const Facts& facts_at(const std::string& system, const Instance& at, const Method& method) const;

  std::size_t added() const { return added_; }
  const std::map<std::string, Counted>& left_out() const { return left_out_; }
  const std::map<std::string, Counted>& notes() const { return notes_; }

 private:
  FileFacts facts_of(const FileTiming& timing) const;
  Method method_of(const FileFacts& facts) const;
  std::uint64_t message_size(const FileTiming& timing, const FileFacts& facts) const;
  [[noreturn]] void missing(std::string_view what, std::string_view how) const;
  void count_line(std::map<std::string, Counted>& where, const std::string& what) const;
  FileFacts with_echo(FileFacts facts, const FileTiming& timing);

  struct Seen {
    std::size_t line;
    std::optional<std::uint64_t> echoed_ranks;
    std::string variant;
    std::size_t facts;  // of all_facts_
  };

  void look_for_twin(const CsvRow& row, const FileTiming& timing);
  std::size_t facts_now();
  [[noreturn]] void two_runs(const Seen& before, std::string_view what) const;

  std::string file_;
  FileFacts given_;
  std::function<void(const CsvRow&)> take_;
  std::size_t line_ = 0;
  std::size_t added_ = 0;
  std::map<std::string, Counted> left_out_, notes_;
  std::map<std::tuple<std::string, Instance, Method>, Seen> seen_;
  RunFacts run_;
  std::vector<Facts> all_facts_;
  std::map<std::string, std::string> libraries_;  // by system
  std::string tool_;
};

}  // namespace colltree::profile
