// SPDX-License-Identifier: BSD-3-Clause
// Every contender on one collective in one table: size, penalty on its training points and on
// held-out points, time to fit and to decide (docs/tasks/judging.md explains the columns).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "evaluate/comparison.h"
#include "evaluate/contender.h"
#include "evaluate/sessions.h"
#include "timings/folds.h"

namespace colltree::evaluate {

struct ContestOptions {
  std::vector<HeldOut> held_out;
  std::size_t folds = 5;
  std::uint64_t seed = 1;  // of the folds and of the bootstrap
};

// What only a caller that can write files and run them knows of a chooser.
struct Deployment {
  std::optional<std::uint64_t> bytes;
  std::optional<double> decide_ns;
};
using DeploymentOf = std::function<Deployment(const FittedChooser&, const Timings&)>;

// One way of leaving points out, for all rows alike.
struct HeldOutPart {
  HeldOut kind;
  std::optional<Folds> folds;  // none: these timings do not allow it
  std::string refused;         // and why
};

struct ContestRow {
  std::string chooser;
  std::string detail;
  std::string refused;  // why it could not be fitted; then nothing below holds
  std::optional<std::uint64_t> leaves;
  Deployment deployment;
  std::optional<double> fit_ms;  // none: nothing is fitted
  PenaltyPoints training;
  std::vector<std::optional<PenaltyPoints>> held_out;  // by part
  std::optional<PenaltyPoints> there;                  // fitted here, judged by another session
};

struct Contest {
  Collective collective = Collective::kBcast;
  std::size_t instances = 0;
  std::uint64_t seed = 1;
  std::vector<HeldOutPart> parts;
  std::vector<ContestRow> rows;
  std::optional<SessionPair> sessions;  // with another one to judge by
};

// First the library's own choice as measured (`mpi` is its detail; no row when it was not), then a
// row for each contender. `after_fit` is called fits_of(...) times, never twice at once. A
// contender that cannot be fitted is a row that says why.
Contest run_contest(const Timings& timings, const std::string& mpi,
                    const std::vector<Contender>& contenders, const ContestOptions& options,
                    const DeploymentOf& deployment, const std::function<void()>& after_fit);
// The same for a pair of sessions: fitted to the one, judged by the other too.
Contest run_contest(const SessionPair& sessions, const std::string& mpi,
                    const std::vector<Contender>& contenders, const ContestOptions& options,
                    const DeploymentOf& deployment, const std::function<void()>& after_fit);
std::size_t fits_of(std::size_t contenders, const ContestOptions& options);

std::string contest_text(const Contest& contest, Detail detail);
// As comparison_json, with more fields in each chooser.
Json contest_json(const Contest& contest);
bool rests_on_predictions(const Contest& contest);
struct ContestCsv {
  bool header = true;      // the names of the columns first
  bool predicted = false;  // a column more: instances whose figures rest on predictions
};
// A line for each chooser and kind of points.
std::string contest_csv(const Contest& contest, const std::string& system, const ContestCsv& form);

}  // namespace colltree::evaluate
