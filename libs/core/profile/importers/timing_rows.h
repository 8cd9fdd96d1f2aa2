// SPDX-License-Identifier: BSD-3-Clause
// Takes the rows of the benchmark readers: checks them, converts them to our units and meaning, and
// adds the facts of the file's name and the command line.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/csv.h"
#include "profile/importers/file_facts.h"
#include "profile/importers/run_facts.h"

namespace colltree::profile {

// Functions that divide a line of a benchmark's output.

// The words between blanks and tabs.
std::vector<std::string_view> words_of(std::string_view line);

// The texts between tabs or at least two blanks: names of columns may hold single blanks.
std::vector<std::string_view> cells_of(std::string_view line);

bool are_numbers(const std::vector<std::string_view>& words);

// The number x 10^exponent, rounded once, so that 0.0000109819 s is exactly 10.9819 us; nothing
// when the text is no finite number.
std::optional<double> find_scaled(std::string_view number, int exponent);

// The bytes that a benchmark counts for a collective.
enum class SizeCount : std::uint8_t {
  kAsHere,   // as the glossary: block, message or total
  kPerRank,  // what one rank contributes or receives, also of reduce_scatter
  kWhole,    // the whole buffer: of block collectives all ranks' blocks
};

// One time with the facts that the file gives for it.
struct FileTiming {
  FileFacts facts;  // as far as the file says them
  std::uint64_t bytes = 0;
  SizeCount count = SizeCount::kAsHere;
  // A whole buffer is divided into equal numbers of whole elements for the ranks.
  std::uint64_t element_bytes = 1;
  double time_us = 0;
  std::int64_t rep = Sample::kAggregate;
  // The ranks in the command line that a log shows above the table; given facts take precedence.
  std::optional<std::uint64_t> echoed_ranks = std::nullopt;
  std::string variant = "";  // distinguishes it from others of its cell: "float sum"
};

// The number of lines of one kind, and the first of them (0: its number would not help).
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

// Every error is a ParseError that names the file and the present line, except UsageError for facts
// that only the command line can give.
class TimingRows {
 public:
  // `given` are the facts of the file's name and the command line.
  TimingRows(std::string file, FileFacts given, std::function<void(const CsvRow& row)> take);

  void at_line(std::size_t number) { line_ = number; }
  void begin_table();  // no row of it was seen yet
  bool has_rows() const { return has_rows_; }
  void see_gap() { has_gap_ = true; }  // something else stands since the last row

  void add(const FileTiming& timing);
  // Counts rows that were understood and not imported, for the report: "tables of PingPong".
  void leave_out(const std::string& what) { ++left_out_[what].count; }
  // Counts other remarks for the report.
  void note(const std::string& what) { ++notes_[what].count; }
  // True if this line of a table is a row of it. A line of another program (a prompt, a launcher's
  // warning) is left out and counted, and so is a row that was cut off or overwritten. The first
  // row of a table must be whole, because it shows that the header was understood.
  bool is_row(const std::vector<std::string_view>& words, std::string_view line,
              const RowShape& shape, bool is_like_row);
  // The sizes of a table grow. A smaller one behind a gap looks like a row of another table.
  void take_size(std::uint64_t bytes, std::string_view line);
  // The collective of this file, as it says itself or as it was given; needed for names of methods.
  Collective collective(std::optional<Collective> said) const;

  // The word as a whole number of at most kMostBytes; `column` is for messages.
  std::uint64_t whole(std::string_view word, std::string_view column) const;
  // Likewise as a number of ranks, which `what` describes.
  std::uint64_t ranks(std::string_view word, std::string_view column, std::string_view what) const;
  // The word as a time in 10^exponent microseconds; 0 if it is shorter than the file's digits show.
  double time_us(std::string_view word, std::string_view column, int exponent = 0) const;

  [[noreturn]] void wrong(std::string_view message) const;
  [[noreturn]] void expected(std::string_view what, std::string_view got) const;
  [[noreturn]] void ends_before(std::string_view what) const;
  // The program that made the file: "OSU MPI Allreduce Latency Test v7.3".
  void set_tool(std::string_view tool);
  const std::string& tool() const { return tool_; }

  // The facts of the run that the next rows belong to.
  RunFacts& run() { return run_; }
  // The facts of the first run of a cell.
  const Facts& facts_at(const std::string& system, const Instance& instance,
                        const Method& method) const;

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
  [[noreturn]] void two_runs(const Seen& before, std::string_view what) const;

  std::string file_;
  FileFacts given_;
  std::function<void(const CsvRow&)> take_;
  std::size_t line_ = 0;
  bool has_rows_ = false, has_gap_ = false;  // of the table
  std::optional<std::uint64_t> last_bytes_;  // its size above
  std::size_t added_ = 0;
  std::map<std::string, Counted> left_out_, notes_;
  std::map<SystemCell, Seen> seen_;
  RunFacts run_;
  std::vector<Facts> all_facts_;
  std::map<std::string, std::string> libraries_;  // by system
  std::string tool_;
};

}  // namespace colltree::profile
