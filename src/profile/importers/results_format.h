// SPDX-License-Identifier: BSD-3-Clause
// The outputs of benchmarks that `colltree import` reads (docs/importing.md): a row each.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profile/importers/timing_rows.h"

namespace colltree {

// Takes a file line by line, without their ends; the rows know which line it is.
class ResultsReader {
 public:
  virtual ~ResultsReader() = default;
  virtual void line(std::string_view line) = 0;
  virtual void end() {}  // after the last; for what is missing
};

struct ResultsFormat {
  std::string_view name;   // --format
  std::string_view tool;   // in words
  std::string_view sizes;  // what its sizes mean and what was made of them, for the profile
  // What --time-column may be; the first is what stands for none.
  std::vector<std::string_view> time_columns;
  // What its names mean where they fit and no other pattern is given; "" = nothing.
  std::string_view own_pattern;
  // What only lines of this format begin with, of what is printed: a log, in which labels, other
  // programs' lines and other tests may stand (log_lines.h).
  std::vector<std::string_view> marks;
  // Of what is written to a file: whether only a file of this format has such a line.
  bool (*recognises)(std::string_view line) = nullptr;
  // `time_column`: one of the above.
  std::unique_ptr<ResultsReader> (*open)(TimingRows& rows, std::string_view time_column);
};

std::span<const ResultsFormat> results_formats();
std::vector<std::string> results_format_names();
const ResultsFormat* find_results_format(std::string_view name);  // nullptr: none has this name
const ResultsFormat* recognised_format(std::string_view line);    // nullptr: none does

// One function a format, which makes its row: defined in the file that reads it.
namespace importers {
#define COLLTREE_RESULTS_FORMAT(name) ResultsFormat name();
#include "profile/importers/formats.def"
#undef COLLTREE_RESULTS_FORMAT
}  // namespace importers

}  // namespace colltree
