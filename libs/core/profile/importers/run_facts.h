// SPDX-License-Identifier: BSD-3-Clause
// The facts that a log gives about the run whose table follows: its command line, variables,
// headings and comments such as "# Datatype: MPI_INT". Two runs of one cell that differ in one are
// no repeats.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace colltree::profile {

// "datatype" -> "MPI_INT", "command" -> "mpirun -np 4 ./osu_bcast", "FOO" -> "1" of `export FOO=1`.
using Facts = std::map<std::string, std::string>;

inline constexpr const char* kCommandFact = "command";
inline constexpr const char* kHeadingFact = "heading";

class RunFacts {
 public:
  void read(std::string_view line);  // a line that may say something
  void say(const std::string& fact, std::string_view value);
  // A line above the table; it joins the other heading lines since the last row.
  void head(std::string_view line);
  // The facts of a row: all that were given before it.
  const Facts& take_row();

 private:
  void read_comment(std::string_view text);
  bool read_settings(std::string_view text);

  Facts facts_;
  bool is_head_old_ = false;  // it belongs to rows already
};

// The first fact in which they differ, as "datatype MPI_INT and MPI_CHAR"; "": no common fact
// differs. `of_files`: for runs in two files, whose command lines and headings do not count.
std::string difference(const Facts& before, const Facts& now, bool of_files);

}  // namespace colltree::profile
