// SPDX-License-Identifier: BSD-3-Clause
// The data of the page of `colltree report` (docs/tasks/looking.md), computed with the functions
// that `evaluate` and `compare` use. The Python package makes the page of them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "evaluate/runs.h"
#include "model/model.h"
#include "profile/overview.h"
#include "timings/timings.h"

namespace colltree::report {

struct ReportModel {
  std::string path;
  std::shared_ptr<const model::Model> function;
};

struct ReportInput {
  std::string profile;               // path as given, for the commands that the page shows
  std::string command;               // the one that makes this report
  profile::SystemOverview overview;  // of the system of the timings
  std::vector<Timings> timings;      // one for each collective; at least one
  std::vector<ReportModel> models;
  bool deployed = false;        // with the model that `tune` deploys for these timings
  std::size_t most_leaves = 0;  // of the optimal trees, up to which the slider goes; 0: none
  bool is_undecided = false;    // the cells were disturbed (evaluate/policy.h)
  std::string verdict;          // of the `tune` that made the profile; "": none
  std::optional<evaluate::SourceGains> source_gains;  // where both sources were measured
};

// Deterministic. Cost: for each collective the optimal trees of all budgets six times (once on
// everything, five times for the held-out points), those of the size to deploy eleven times, and
// 2000 resamples for each of them.
Json make_report(const ReportInput& input);

}  // namespace colltree::report
