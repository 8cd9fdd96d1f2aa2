// SPDX-License-Identifier: BSD-3-Clause
// The performance penalty (2006, equation 6) of anything that chooses methods:
//   (time of the chosen - time of the best) / time of the best, a fraction, at each instance.
// The best is the least time among the methods and the chosen method, so no penalty is negative: if
// the library's own choice is faster than every method that can be chosen, its penalty is 0.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/statistics.h"
#include "coll/method.h"
#include "timings/timings.h"

namespace colltree {

// The confidence interval of a mean: the percentile bootstrap (B. Efron, Ann. Statist. 7 (1979)
// 1-26). The points of a held-out group are drawn together, because their values depend on each
// other.
struct Bootstrap {
  std::uint64_t seed = 1;
  std::size_t resamples = 2000;
  // Instances of the same group are drawn together; none: each instance is its own group.
  std::function<std::uint64_t(const Instance&)> group = nullptr;
};

// The middle 95 % of the means of `resamples` draws with replacement; values[i] belongs to
// instances[i]. None with fewer than two groups. Cost: resamples x groups.
// `drawn` holds the draws of each uncertain value, one value after the other. A resample takes one
// of the draws, so the interval covers that uncertainty, too. None: the values are certain.
std::optional<Interval> mean_interval(std::span<const double> values,
                                      std::span<const Instance> instances,
                                      const Bootstrap& bootstrap,
                                      std::span<const double> drawn = {});

class PredictionDraws;
using Chooser = std::function<Method(const Instance&)>;

// The penalty of a choice; a choice that cannot run is charged as the slowest method there. Compare
// choosers that fail at different instances by means with this charge.
double charged_penalty_at(const Timings& timings, std::size_t instance, const Method& method);

struct CannotRun {
  Instance instance;
  Method method;      // chosen although it has no time there
  double charge = 0;  // charged_penalty_at
};

// The penalties of one chooser, instance by instance.
struct PenaltyPoints {
  std::vector<double> values;         // fractions, of the instances where the chosen has a time
  std::vector<Instance> instances;    // which ones
  std::vector<CannotRun> cannot_run;  // the others: a wrong choice, never averaged away
  std::size_t faster_than_all = 0;    // instances where the chosen, the default, beats all others

  std::vector<double> versus_default;  // (chosen - default) / default where both have a time: what
                                       // a change from the library's own choice would gain

  // Instances where the time of the chosen or of the best method was predicted. There, and where
  // another prediction may prove to be the best, the values are expectations over the possible
  // errors of the predictions.
  std::size_t predicted = 0;
  // The values and versus_default in each draw of these errors (interpolation.h), value by value;
  // empty: no prediction counts.
  std::vector<double> drawn_values;
  std::vector<double> drawn_versus_default;

  void add(const PenaltyPoints& points);  // another collective of the same chooser
};

// A smaller fraction of a time cannot be noticed in the time of a program.
inline constexpr double kNoticeable = 0.02;

struct PenaltySummary {
  std::size_t instances = 0;  // with a time; the figures are 0 when there is none
  std::size_t predicted = 0;  // of them: the figure there rests on a prediction
  double min = 0;
  double max = 0;
  double mean = 0;
  double charged_mean = 0;  // also over the instances where the choice cannot run, by their charge
  std::optional<Interval> mean_interval;  // 95 %; only when it was asked for
  // The geometric mean of chosen over best time, minus 1: no single instance dominates it, as one
  // may dominate the mean.
  std::optional<double> geometric_mean;  // none without instances, and in what an older file says
  double median = 0;                     // of an even number: the mean of the two in the middle
  double p95 = 0;                        // the least value that 95 % of the instances do not exceed
  double share_above_5 = 0;              // of the instances, with a penalty above 5 %
  double share_above_10 = 0;
  double share_above_50 = 0;
  std::size_t above_50 = 0;
  std::optional<double> versus_default;  // geometric mean; below 0: faster. None: no default
  std::optional<double>
      share_slower;  // of the instances, by more than kNoticeable than the default
};

// Without predictions it costs one look at every time.
PenaltyPoints penalty_points(const Timings& timings, const Chooser& choose);
// For many choosers on the same table, whose draws are then made once.
PenaltyPoints penalty_points(PredictionDraws& draws, const Chooser& choose);
// The penalties of the library's own choice at the instances where it was measured.
PenaltyPoints default_penalty_points(const Timings& timings);

PenaltySummary summarize(const PenaltyPoints& points);
PenaltySummary summarize(const PenaltyPoints& points, const Bootstrap& bootstrap);

// The best method for every instance: it fails to run at the fewest instances and has the least
// mean penalty among such methods; ties go to the first in tie order. It is not the library's own
// choice. None without methods.
struct FixedMethod {
  Method method;
  PenaltyPoints points;
};
std::optional<FixedMethod> best_fixed_method(const Timings& timings);

}  // namespace colltree
