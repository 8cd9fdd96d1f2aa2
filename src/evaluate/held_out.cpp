// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/held_out.h"

#include <mutex>

#include "base/work.h"
#include "model/kinds/optimal_size.h"

namespace colltree {

std::vector<PenaltyPoints> points_of_fold(const FoldParts& parts, const Contender& contender) {
  const FittedChooser fitted = contender.fit(parts.rest);
  std::vector<PenaltyPoints> points;
  for (const Timings& one : parts.left_out) points.push_back(penalty_points(one, fitted.choose));
  return points;
}

std::size_t fits_at_a_time(const std::vector<Timings>& timings) {
  return searches_at_a_time(timings, {.leaves = kMostChosenLeaves, .power_of_two = true});
}

std::vector<PenaltyPoints> held_out_points(const std::vector<Timings>& timings, const Folds& folds,
                                           const Contender& contender,
                                           const std::function<void()>& after_fold) {
  std::vector<std::vector<PenaltyPoints>> by_fold(folds.count());
  std::mutex progress;
  in_parallel(folds.count(), fits_at_a_time(timings), [&](std::size_t fold) {
    by_fold[fold] = points_of_fold(part(timings, folds, fold), contender);
    const std::lock_guard lock(progress);
    after_fold();
  });
  std::vector<PenaltyPoints> points(timings.size());
  for (const std::vector<PenaltyPoints>& of_fold : by_fold) {
    for (std::size_t i = 0; i < points.size(); ++i) points[i].add(of_fold[i]);
  }
  return points;
}

Bootstrap held_out_bootstrap(const Folds& folds, std::uint64_t seed) {
  return {.seed = seed, .group = [folds](const Instance& at) { return folds.group(at); }};
}

}  // namespace colltree
