// SPDX-License-Identifier: BSD-3-Clause
// The choosers that a page sets side by side for one collective: the library's own choice, the best
// fixed method, the best method at each instance, the optimal trees of every size, the given
// models.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"
#include "timings/penalty.h"

namespace colltree::report {

// A model or rule that chooses methods, judged on the timings.
struct ReportEntry {
  std::optional<std::uint64_t> leaves;
  std::shared_ptr<const model::Model> tree;  // none: not a tree
  Chooser choose;                            // none: only its times are known (the default)
  PenaltyPoints points;
  PenaltySummary summary;  // of them, with an interval
  std::optional<Interval>
      versus_default_interval;  // of its geometric mean, as versus_default itself
};

struct ReportChooser {
  std::string id;      // "default", "best", "fixed", "deployed", "optimal", a model's path
  std::string detail;  // the MPI library, the method, the kind of model
  std::vector<ReportEntry> entries;        // several for the slider, by leaves
  std::size_t start = 0;                   // the entry to show first
  std::optional<PenaltySummary> held_out;  // of that entry on held-out points, with interval
  std::size_t folds = 0;
  std::string_view advice;              // evaluate/policy.h
  std::string no_held_out;              // why there is none
  std::vector<std::string> statements;  // model/expectation.h
  std::string
      fit_command;         // makes the model file; {leaves} stands for the budget. "": there is one
  std::string model_file;  // "": none
};

// The result has one list for each table of `input.timings`, in the order: default (if measured),
// best, fixed, deployed (unless unwanted, or the grid is too large), optimal, models. The searches
// of all collectives share the cores; progress is counted by them.
std::vector<std::vector<ReportChooser>> report_choosers(const ReportInput& input);

}  // namespace colltree::report
