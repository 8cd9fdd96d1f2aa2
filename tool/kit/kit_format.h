// SPDX-License-Identifier: BSD-3-Clause
// The two files of a kit (docs/reference/formats/kit.md): its plan, and what it has measured.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "protocol/plan.h"

namespace colltree::kit {

// The work of a kit: the file `plan` in it.
//
//   colltree-kit-plan 1
//   made_by 2.0.0
//   silence_limit_s 120
//   unknown yes
//   colltree-plan 2
//   ...
struct KitPlan {
  std::string made_by;           // version of colltree
  double silence_limit_s = 120;  // a job that reports nothing for so long is stopped
  bool unknown = false;          // also measure the library's algorithms that our table lacks
  protocol::Plan plan;  // every cell, also of methods that an installed library may not have
};

std::string write_kit_plan(const KitPlan& kit);
KitPlan read_kit_plan(const std::string& text, const std::string& file);  // throws ParseError

// The results of a kit are one file of lines. A head of "key value" says what was measured with
// which library; then come the jobs' report lines (protocol/report_line.h), each written when it is
// read, so a kill loses only the cell that was running.
inline constexpr std::string_view kResultsHeader = "colltree-kit-results 1";

struct ResultsHead {
  std::string made_by;      // version of the colltree that made the kit
  std::string started_utc;  // "2026-11-21T08:52:00Z"
  std::string host;         // full name of the one where the launcher was started
  std::string launcher;     // its words, one blank between two
  std::string library;      // what the MPI library says of itself, first line
  std::string source;       // of the methods
  protocol::StopRule stop;
  std::uint64_t cells = 0;  // that were to be measured
  bool operator==(const ResultsHead&) const = default;
};

std::string write_results_head(const ResultsHead& head);

// Reads the first lines of a file, one after the other.
class ResultsHeadReader {
 public:
  explicit ResultsHeadReader(std::string file) : file_(std::move(file)) {}
  // Returns false for a line behind the head. Throws ParseError.
  bool take(std::string_view line);
  // Throws ParseError, also when the file ended before the head was complete.
  ResultsHead head() const;

 private:
  std::string file_;
  std::size_t line_ = 0;
  std::vector<std::string> values_;
};

// The parts of a report line that a kit reads, which has no JSON library: the event, the cell ("" =
// none) and the number of ranks of the job (0 = not given).
struct ReportHead {
  std::string event;
  std::string cell;
  std::uint64_t ranks = 0;
};

// Nothing when it is no whole report line.
std::optional<ReportHead> report_head(std::string_view line);

// The results file while a kit measures: continued where an earlier run ended.
class Recorder {
 public:
  // Opens the file, and makes it when it does not exist. Throws Error when it cannot be written, is
  // no results file, or was measured with another launcher, library or plan.
  Recorder(const std::string& file, const ResultsHead& head);

  // The cells that were measured or failed.
  const std::set<std::string>& done() const { return done_; }

  // A report line, without its end. Throws Error when it cannot be written.
  void keep(std::string_view line);

 private:
  void read(const ResultsHead& head);
  [[noreturn]] void fail(int error) const;

  std::string path_;
  Descriptor file_;
  std::set<std::string> done_;
};

}  // namespace colltree::kit
