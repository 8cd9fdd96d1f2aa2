// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/held_out.h"

namespace colltree {

std::vector<PenaltyPoints> held_out_points(const std::vector<Timings>& timings, const Folds& folds,
                                           const Contender& contender,
                                           const std::function<void()>& after_fold) {
  std::vector<PenaltyPoints> points(timings.size());
  for (std::size_t fold = 0; fold < folds.count(); ++fold) {
    const FoldParts parts = part(timings, folds, fold);
    const FittedChooser fitted = contender.fit(parts.rest);
    for (std::size_t i = 0; i < timings.size(); ++i) {
      points[i].add(penalty_points(parts.left_out[i], fitted.choose));
    }
    after_fold();
  }
  return points;
}

Bootstrap held_out_bootstrap(const Folds& folds, std::uint64_t seed) {
  return {.seed = seed, .group = [folds](const Instance& at) { return folds.group(at); }};
}

}  // namespace colltree
