// SPDX-License-Identifier: BSD-3-Clause
// Runs of one collective side by side: the outputs of a benchmark under two libraries or settings,
// or such an output and a profile. At each instance that the first run and another have: both times
// and how much longer the other takes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/statistics.h"
#include "timings/timings.h"

namespace colltree::evaluate {

struct ComparedRun {
  std::string name;  // "ucx.db"
  Timings timings;   // loaded with LoadOptions::default_alone
};

struct RunTime {
  double time_us = kNoTime;
  std::optional<Interval> interval;  // 95 %; none: a single time, whose noise is not known
  std::string method;
};

// A run has a column for its default, or for its only method, and one for its best method where it
// has several.
struct RunColumn {
  std::string run;
  std::string what;  // "default", "ring", "best"
  bool is_best = false;
};

struct RunRow {
  Instance instance;           // of the first column
  std::vector<RunTime> times;  // by column; kNoTime: that run does not have the instance
};

struct SideBySide {
  Collective collective = Collective::kBcast;
  std::vector<RunColumn> columns;  // the others are compared with the first
  std::vector<RunRow> rows;        // the first column and at least one other have a time
  std::size_t unmatched = 0;       // instances of the first column that no other has
};

// Instances are the same when communicator and message size are and the placements do not differ:
// an output that says nothing of nodes matches any. Predicted times are none. Throws Error when no
// instance is common.
SideBySide set_side_by_side(std::span<const ComparedRun> runs);

enum class Pace : unsigned char { kFaster, kSlower, kSame };

// Of `other` beside `base`. Same: the intervals overlap; where one is not known, the times are
// equal.
Pace pace_of(const RunTime& base, const RunTime& other);

std::string side_by_side_text(const SideBySide& beside);
Json side_by_side_json(const SideBySide& beside);

}  // namespace colltree::evaluate
