// SPDX-License-Identifier: BSD-3-Clause
// Anything that can be fitted to timings and then chooses: a model, one fixed method, a reference
// that is not a small function at all. The common form lets all of them be judged in the same way,
// on the points that they were fitted to, on held-out points and by another session. A contest is
// one table of them for one collective (docs/tasks/judging.md explains the columns).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "evaluate/comparison.h"
#include "evaluate/sessions.h"
#include "model/fitter.h"
#include "parametric/formulas.h"
#include "timings/folds.h"
#include "timings/penalty.h"

namespace colltree::evaluate {

struct FittedChooser {
  Chooser choose;
  std::string detail;                         // what is worth a word: the fixed method
  std::shared_ptr<const model::Model> model;  // none: not a decision function
};

struct Contender {
  std::string name;
  // Takes one table for each collective. Throws Error when these timings cannot be fitted.
  std::function<FittedChooser(const std::vector<Timings>&)> fit;
};

Contender fitted_by(const model::Fitter& fitter);
// A model as it is: other timings do not change it.
Contender fixed_model(std::string name, std::shared_ptr<const model::Model> model);

// "best fixed": one method for a collective, the best at all its instances together.
Contender best_fixed();
// The best method of the nearest measured instance (communicator size, message size and, where
// known, nodes and ranks per node; distance in octaves; ties: the first), "exact map". On a
// training point that is the best there, so its training penalty is 0.
Contender exact_map();
// Every method's time at the instance is interpolated, linearly in the logarithms of both sizes and
// the time, and the least is chosen: the regression approach. Between measured sizes along each
// axis, and the mean of the two where both bracket the instance; beyond the ends the end. A method
// that was not measured at a point this needs cannot run. "interpolation".
Contender interpolation();
// The method whose formula expects the least time, among those of the timings fitted to.
// `network_for` gives the network for the formulas of one collective.
Contender least_expected_time(std::string name,
                              std::function<parametric::Network(Collective)> network_for);

// The number of cross-validation fits that fit into memory together, whatever is fitted.
std::size_t fits_at_a_time(const std::vector<Timings>& timings);

// The penalties at held-out points, which the chooser has never seen: it is fitted without each
// fold in turn and judged on that fold. The points of all folds come together, by collective as in
// `timings`. `after_fold` is called after each fit, never twice at once. Throws Error when a fold
// cannot be fitted. Cost: a fit for each fold, on all cores.
std::vector<PenaltyPoints> held_out_points(
    const std::vector<Timings>& timings, const Folds& folds, const Contender& contender,
    const std::function<void()>& after_fold = [] {});

// The bootstrap for such points draws the points of one held-out group together.
Bootstrap held_out_bootstrap(const Folds& folds, std::uint64_t seed);

struct ContestOptions {
  std::vector<HeldOut> held_out;
  std::size_t folds = 5;
  std::uint64_t seed = 1;  // of the folds and of the bootstrap
};

// Sets what only a caller that can write files and run them knows: the bytes and the time to
// decide.
using Deployment = std::function<void(const FittedChooser&, const Timings&, ComparisonRow& row)>;

// First the library's own choice as measured (`mpi` is its detail; no row when it was not), then a
// row for each contender. `after_fit` is called fits_of(...) times, never twice at once. A
// contender that cannot be fitted is a row that says why. With `sessions`, whose `here` the timings
// are, what is fitted is judged by the other session too.
Comparison run_contest(const Timings& timings, const std::string& mpi,
                       const std::vector<Contender>& contenders, const ContestOptions& options,
                       const Deployment& deployment, const std::function<void()>& after_fit,
                       std::shared_ptr<const SessionPair> sessions = nullptr);
std::size_t fits_of(std::size_t contenders, const ContestOptions& options);

std::string contest_text(const Comparison& contest, Detail detail);
// Holds the fields of comparison_json, and more in each chooser.
Json contest_json(const Comparison& contest);
// A line for each contest, chooser and kind of points.
std::string contests_csv(std::span<const Comparison> contests, const std::string& system);

}  // namespace colltree::evaluate
