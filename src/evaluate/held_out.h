// SPDX-License-Identifier: BSD-3-Clause
// What choices cost at points that the chooser has never seen: fitted without each fold in turn,
// judged on that fold.
#pragma once

#include <functional>
#include <vector>

#include "evaluate/contender.h"
#include "timings/folds.h"

namespace colltree {

// So many fits without some of these points find room in memory together, whatever is fitted.
std::size_t fits_at_a_time(const std::vector<Timings>& timings);

// Of one fold, by collective.
std::vector<PenaltyPoints> points_of_fold(const FoldParts& parts, const Contender& contender);

// The points of all folds together, by collective as in `timings`. `after_fold` is called after
// each fit, never twice at once. Throws Error when a fold cannot be fitted. Cost: a fit for each
// fold, on all cores.
std::vector<PenaltyPoints> held_out_points(
    const std::vector<Timings>& timings, const Folds& folds, const Contender& contender,
    const std::function<void()>& after_fold = [] {});

// For the interval of such points: what was left out together is drawn together.
Bootstrap held_out_bootstrap(const Folds& folds, std::uint64_t seed);

}  // namespace colltree
