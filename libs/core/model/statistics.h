// SPDX-License-Identifier: BSD-3-Clause
// The statistics of a fit: the size of the tree, the cost of its choices on the training points,
// and figures that only some kinds have. `statistics` in M.json (docs/reference/formats/model.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "model/rule_tree.h"
#include "timings/penalty.h"

namespace colltree::model {

// The performance penalty on the training points.
struct TrainingPenalty {
  PenaltySummary overall;
  std::vector<std::pair<Collective, PenaltySummary>> by_collective;  // where there are several
  std::uint64_t cannot_run = 0;  // points where the model asks for what has no time
};

// The errors of a C4.5 tree on the training points: a row of tables 2 and 4 of the 2006 paper.
struct TreeErrors {
  std::uint64_t leaves = 0;
  std::uint64_t nodes = 0;
  std::uint64_t errors = 0;  // points where another method is best
  double error_rate = 0;     // a fraction
  bool operator==(const TreeErrors&) const = default;
};
struct Pruning {
  TreeErrors before;
  TreeErrors after;
  double predicted_error_rate = 0;  // pessimistic estimate, a fraction
  bool operator==(const Pruning&) const = default;
};

// The size and the errors of production rules on the training points.
struct RuleCounts {
  std::uint64_t rules = 0;
  std::uint64_t conditions = 0;
  std::uint64_t errors = 0;
  double error_rate = 0;
};

// The proof of an optimal tree.
struct Certificate {
  bool optimal = false;      // no tree of this size on these tests and this grid has less; else
                             // a limit stopped the search, and none has less than lower_bound
  std::string objective;     // "mean", "max", "p95", "time", "expected"
  std::uint64_t leaves = 0;  // the budget
  double value = 0;          // of the objective; infinite: no tree can run everywhere
  double lower_bound = 0;
  double tolerance = 0;
  std::vector<std::string> tests;   // attributes
  std::vector<std::uint64_t> grid;  // sizes on each axis
  std::uint64_t points = 0;
  std::uint64_t methods = 0;
  std::optional<double> time_limit_s;  // of the search
};

// The least value that trees of this number of leaves can have.
struct FrontierPoint {
  std::uint64_t leaves = 0;
  double value = 0;        // infinite: no tree was found
  double lower_bound = 0;  // the value itself where it is proved
};

// The changes by `python3 -m colltree.study smooth`, which makes a simpler model from another one.
struct Smoothing {
  std::string kind;  // of that one
  double within = 0;
  std::uint64_t leaves_before = 0;
};

// A communicator size that nobody measured.
struct WorthMeasuring {
  std::uint64_t communicator_size = 0;
  double saving = 0;  // of the time there, a fraction, on average over its message sizes
};

// Expected results at all sizes, measured or not (model/expectation.h).
struct Expectation {
  // The change against the time of the library's own choice, where that was measured: a fraction in
  // the geometric mean (below 0: the model takes less time), and the share of the sizes where the
  // model takes over 2 % more time.
  std::optional<double> versus_default;
  double share_slower = 0;
  // The standard deviation of the logarithm of a method's time from day to day; measured, or
  // assumed if the timings are of one session.
  double session_deviation = 0;
  bool session_measured = false;
  std::vector<WorthMeasuring> worth;  // where 2 % and more may be saved, most first
  Jobs jobs = Jobs::kShared;
  bool promised = true;  // false: what is expected may be a difference between jobs
};

struct Statistics {
  TreeShape shape;  // of the tree as fitted: a quadtree has four children a node, and replicas
  std::vector<std::pair<Collective, TreeShape>> shapes;  // where it has a tree for each
  std::optional<TrainingPenalty> penalty;
  std::optional<Pruning> pruning;
  std::optional<RuleCounts> rules;
  std::optional<Certificate> certificate;
  std::vector<FrontierPoint> frontier;
  // Methods that were left out, because nothing tells them from the library's own choice.
  std::vector<std::string> like_default;
  std::optional<Expectation> expectation;
  std::optional<Smoothing> smoothing;
};

Json to_json(const Statistics& statistics);
// `rules`: of the model, for what the file does not say. Throws Error that names the field.
Statistics statistics_from_json(const Json& object, const RuleTree& rules);

}  // namespace colltree::model
