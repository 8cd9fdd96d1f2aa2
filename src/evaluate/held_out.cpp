// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/held_out.h"

namespace colltree {

namespace {

// The instances inside the fold, or those outside.
Timings part_of(const Timings& timings, const Folds& folds, std::size_t fold, bool inside) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    if ((folds.fold(timings.instances[i]) == fold) == inside) chosen.push_back(i);
  }
  return select_instances(timings, chosen);
}

}  // namespace

std::vector<PenaltyPoints> held_out_points(const std::vector<Timings>& timings, const Folds& folds,
                                           const Contender& contender,
                                           const std::function<void()>& after_fold) {
  std::vector<PenaltyPoints> points(timings.size());
  for (std::size_t fold = 0; fold < folds.count(); ++fold) {
    std::vector<Timings> rest;
    for (const Timings& one : timings) rest.push_back(part_of(one, folds, fold, false));
    const FittedChooser fitted = contender.fit(rest);
    for (std::size_t i = 0; i < timings.size(); ++i) {
      points[i].add(penalty_points(part_of(timings[i], folds, fold, true), fitted.choose));
    }
    after_fold();
  }
  return points;
}

Bootstrap held_out_bootstrap(const Folds& folds, std::uint64_t seed) {
  return {.seed = seed, .group = [folds](const Instance& at) { return folds.group(at); }};
}

}  // namespace colltree
