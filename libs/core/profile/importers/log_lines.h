// SPDX-License-Identifier: BSD-3-Clause
// Recovers the lines that a benchmark printed from a log that a launcher, a terminal, an editor or
// a web page changed: labels of ranks, time stamps, indentation, colours, line ends, byte order
// marks and special blanks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace colltree::profile {

// The label in front of each line, learnt from a single line: "0: " of `srun --label`,
// "[1,0]<stdout>:" of `mpirun --tag-output`, "Wed Nov 25 13:01:52 2026<stdout>:", "[0] ", "> ",
// four blanks. Numbers and words in it, and the number of blanks, may differ from line to line.
class LineLabel {
 public:
  LineLabel() = default;  // none
  explicit LineLabel(std::string_view text);

  // The line after the label; the whole line when it does not begin with one.
  std::string_view behind(std::string_view line) const;
  bool empty() const { return parts_.empty(); }
  const std::string& text() const { return text_; }

 private:
  enum class Part : unsigned char { kDigits, kWord, kBlanks, kLetter };

  std::string text_;
  std::vector<std::pair<Part, char>> parts_;  // the letter itself
};

class LogLines {
 public:
  // Only lines of the benchmark begin with a mark, so any text in front of a mark is the label.
  explicit LogLines(std::vector<std::string_view> marks) : marks_(std::move(marks)) {}

  // Valid until the next call.
  std::string_view clean(std::string_view line);
  // The last label that was more than blanks, as in the line that it was learnt from; "": none.
  const std::string& label() const { return shown_; }

 private:
  std::vector<std::string_view> marks_;
  LineLabel label_;
  std::string shown_;
  std::string plain_;
};

// The line without control sequences and with plain blanks; `into` holds it if it had to change.
std::string_view plain_line(std::string_view line, std::string& into);

// The place of a mark in the line, at its start or after a possible label.
std::optional<std::size_t> find_mark(std::string_view line,
                                     const std::vector<std::string_view>& marks);

// The program ("osu_bcast") and the ranks of a command line that a log shows above an output:
// "+ mpirun -np 8 ./osu_bcast -f".
using EchoedLaunch = std::pair<std::string, std::uint64_t>;
// Reads a line that starts a program whose name begins with `prefix` by a known launcher with one
// number of ranks. Nothing when any of these is missing or ambiguous.
std::optional<EchoedLaunch> find_echoed_launch(const std::vector<std::string_view>& words,
                                               std::string_view prefix);

// True for a command that starts a benchmark: by a
// launcher, with variables in front, or directly.
bool is_command_of_benchmark(const std::vector<std::string_view>& words);

}  // namespace colltree::profile
