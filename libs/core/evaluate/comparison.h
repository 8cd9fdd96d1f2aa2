// SPDX-License-Identifier: BSD-3-Clause
// Several choosers side by side on the timings of one collective: the library's own choice, the
// best fixed method, models.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "timings/folds.h"
#include "timings/penalty.h"

namespace colltree::evaluate {

struct ComparisonRow {
  std::string chooser;                             // "default", "best fixed", a model's file
  std::string detail;                              // the MPI library, the method, the kind of model
  PenaltyPoints points;                            // of a contest: those fitted to
  std::optional<double> same_best = std::nullopt;  // of a noise floor: share of equal best methods
  Bootstrap bootstrap = {};                        // of the interval of the mean
  // Only a contest (evaluate/points.h) sets the rest.
  std::string refused = "";  // why it could not be fitted; then no figure holds
  std::optional<std::uint64_t> leaves = std::nullopt;
  std::optional<std::uint64_t> bytes = std::nullopt;        // of its compact file
  std::optional<double> decide_ns = std::nullopt;           // for a decision
  std::optional<double> fit_ms = std::nullopt;              // none: nothing is fitted
  std::vector<std::optional<PenaltyPoints>> held_out = {};  // by part
  std::optional<PenaltyPoints> there = std::nullopt;  // fitted here, judged by another session
};

// A way of holding points out, for all rows alike.
struct HeldOutPart {
  HeldOut kind;
  std::optional<Folds> folds;  // none: these timings do not allow it
  std::string refused;         // and why
};

struct SessionPair;  // evaluate/sessions.h

struct Comparison {
  Collective collective = Collective::kBcast;
  std::size_t instances = 0;
  std::vector<ComparisonRow> rows = {};
  // Only a contest sets the rest.
  std::uint64_t seed = 1;
  std::vector<HeldOutPart> parts = {};
  std::shared_ptr<const SessionPair> sessions = nullptr;  // with another one to judge by
};

// "default (openmpi-4.1)": the chooser with its detail.
std::string label(const ComparisonRow& row);

// Rows "default" (when it was measured; `mpi` is its detail) and "best fixed".
Comparison compare_baselines(const Timings& timings, const std::string& mpi);

// A table has the columns that a reader needs first, or every column.
enum class Detail : std::uint8_t { kShort, kAll };

// A table with a title line; figures in percent.
std::string comparison_text(const Comparison& comparison, Detail detail);
// Explains the columns of a short table in two lines.
extern const char* const kShortColumns;

// {collective, instances, choosers: [{chooser, detail, performance_penalty, cannot_run,
// faster_than_all}]}
Json comparison_json(const Comparison& comparison);

// The points of one mean, and the name that it has below the table.
struct NamedPoints {
  std::string name;  // "quadtree on blocks"
  const PenaltyPoints* points;
};
// A line for each mean that rests on outliers. A twentieth of the instances makes more than half of
// such a mean, and it is more than twice the geometric mean and more than 5 percentage points above
// it. The greatest differences first, three of them and how many there are more. "" for none.
std::string outlier_lines(const std::vector<NamedPoints>& means);

// Prints a fraction in percent with the digits that matter: 0.04, 8.9, 14.3, 566. "-" for none.
std::string percent_text(const std::optional<double>& fraction);
// ", 1180 of them by predicted times"; "" for none: behind a number of instances.
std::string of_them_predicted(std::size_t instances);
// "8.1..10.2" in percent; "-" for none.
std::string interval_text(const std::optional<Interval>& interval);

}  // namespace colltree::evaluate
