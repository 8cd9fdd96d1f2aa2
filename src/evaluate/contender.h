// SPDX-License-Identifier: BSD-3-Clause
// Whatever can be fitted to timings and then chooses: a model, one fixed method, a reference that
// is not a small function at all. The common form lets all of them be judged in the same way, on
// training points and on held-out points.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

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
  // One table for each collective. Throws Error when these timings cannot be fitted.
  std::function<FittedChooser(const std::vector<Timings>&)> fit;
};

Contender fitted_by(const model::Fitter& fitter);
// A model as it is: other timings do not change it.
Contender fixed_model(std::string name, std::shared_ptr<const model::Model> model);

// The one best method of each collective, "best fixed".
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

// What choices cost at held-out points, which the chooser has never seen: fitted without each fold
// in turn, judged on that fold.

// The number of cross-validation fits that fit into memory together, whatever is fitted.
std::size_t fits_at_a_time(const std::vector<Timings>& timings);

// Of one fold, by collective.
std::vector<PenaltyPoints> points_of_fold(const FoldParts& parts, const Contender& contender);

// The points of all folds together, by collective as in `timings`. `after_fold` is called after
// each fit, never twice at once. Throws Error when a fold cannot be fitted. Cost: a fit for each
// fold, on all cores.
std::vector<PenaltyPoints> held_out_points(
    const std::vector<Timings>& timings, const Folds& folds, const Contender& contender,
    const std::function<void()>& after_fold = [] {});

// For the interval of such points: the points of one held-out group are drawn together.
Bootstrap held_out_bootstrap(const Folds& folds, std::uint64_t seed);

}  // namespace colltree::evaluate
