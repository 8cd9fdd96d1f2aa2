// SPDX-License-Identifier: BSD-3-Clause
// What a kit has measured: one file of lines (docs/formats/kit.md). A head of "key value" says what
// was measured with what; then come the jobs' report lines (measure/report_line.h), each as it was
// heard, so a kill loses the cell that was running and no other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measure/plan.h"

namespace colltree {

inline constexpr std::string_view kResultsHeader = "colltree-kit-results 1";

struct ResultsHead {
  std::string made_by;      // version of the colltree that made the kit
  std::string started_utc;  // "2026-11-21T08:52:00Z"
  std::string host;         // full name of the one where the launcher was started
  std::string launcher;     // its words, one blank between two
  std::string library;      // what the MPI library says of itself, first line
  std::string source;       // of the methods
  StopRule stop;
  std::uint64_t cells = 0;  // that were to be measured
  bool operator==(const ResultsHead&) const = default;
};

std::string write_results_head(const ResultsHead& head);

// Takes the first lines of a file, one after the other.
class ResultsHeadReader {
 public:
  explicit ResultsHeadReader(std::string file) : file_(std::move(file)) {}
  // False: the line belongs behind the head. Throws ParseError.
  bool take(std::string_view line);
  // Throws ParseError, also when the file ended before the head was complete.
  ResultsHead head() const;

 private:
  std::string file_;
  std::size_t line_ = 0;
  std::vector<std::string> values_;
};

// What of a report line is looked at where no JSON library is: its event, its cell ("" = none) and
// how many ranks the job has (0 = it does not say).
struct ReportHead {
  std::string event;
  std::string cell;
  std::uint64_t ranks = 0;
};

// Nothing when it is no whole report line.
std::optional<ReportHead> report_head(std::string_view line);

}  // namespace colltree
