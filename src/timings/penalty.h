// SPDX-License-Identifier: BSD-3-Clause
// The performance penalty (2006, equation 6) of whatever chooses methods:
//   (time of the chosen - time of the best) / time of the best, a fraction, at each instance.
// The best is the least time among the methods and the chosen one, so no penalty is negative: where
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

// How far a mean can be trusted: the percentile bootstrap (B. Efron, Ann. Statist. 7 (1979) 1-26).
// The points of one held-out group are drawn together, because their values depend on each other.
struct Bootstrap {
  std::uint64_t seed = 1;
  std::size_t resamples = 2000;
  // Instances of one group are drawn together; none: each by itself.
  std::function<std::uint64_t(const Instance&)> group = nullptr;
};

// The middle 95 % of the means of `resamples` draws with replacement. values[i] belongs to at[i].
// None with fewer than two groups. Cost: resamples x groups.
// `drawn`: what else each value may be, draw after draw of one value; a resample takes one of the
// draws, so the interval holds that uncertainty too. None: the values are what they are.
std::optional<Interval> mean_interval(std::span<const double> values, std::span<const Instance> at,
                                      const Bootstrap& bootstrap,
                                      std::span<const double> drawn = {});

class PredictionDraws;
using Chooser = std::function<Method(const Instance&)>;

// Of one choice; one that cannot run is charged as the slowest method there: for means over
// choosers that cannot run at different instances, which must not be compared without.
double charged_penalty_at(const Timings& timings, std::size_t instance, const Method& method);

struct CannotRun {
  Instance instance;
  Method method;      // chosen although it has no time there
  double charge = 0;  // charged_penalty_at
};

// The penalties of one chooser, instance by instance.
struct PenaltyPoints {
  std::vector<double> values;         // fractions, of the instances where the chosen has a time
  std::vector<Instance> at;           // which ones
  std::vector<CannotRun> cannot_run;  // the others: a wrong choice, never averaged away
  std::size_t faster_than_all = 0;    // instances where the chosen, the default, beats all others

  std::vector<double> versus_default;  // (chosen - default) / default where both have a time: what
                                       // a change from the library's own choice would bring

  // Instances where the time of the chosen or of the best was predicted. There, and where another
  // prediction may turn out to be the best, the values are expectations over what predictions may
  // be off by.
  std::size_t predicted = 0;
  // Values and versus_default, and what they are in each draw of these errors (interpolation.h),
  // draw after draw of one value; empty: no prediction counts.
  std::vector<double> drawn_values;
  std::vector<double> drawn_versus_default;

  void add(const PenaltyPoints& other);  // another collective of the same chooser
};

// A smaller fraction of a time does not show in the time of a program.
inline constexpr double kNoticeable = 0.02;

struct PenaltySummary {
  std::size_t instances = 0;  // with a time; the figures are 0 when there is none
  std::size_t predicted = 0;  // of them: the figure there rests on a prediction
  double min = 0;
  double max = 0;
  double mean = 0;
  double charged_mean = 0;  // also over the instances where the choice cannot run, by their charge
  std::optional<Interval> mean_interval;  // 95 %; only when it was asked for
  // Of the times beside the best, minus 1: no single instance owns it, as one may own the mean.
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

// Where nothing was predicted, the cost is a look at every time.
PenaltyPoints penalty_points(const Timings& timings, const Chooser& choose);
// The same where many choosers are judged by one table: its draws are made once.
PenaltyPoints penalty_points(PredictionDraws& draws, const Chooser& choose);
// Of the library's own choice, where it was measured.
PenaltyPoints default_penalty_points(const Timings& timings);

PenaltySummary summarize(const PenaltyPoints& points);
PenaltySummary summarize(const PenaltyPoints& points, const Bootstrap& bootstrap);

// The one method that, always asked for, is best: it fails to run at the fewest instances and has
// the least mean penalty among those; ties go to the first in tie order; not the library's own
// choice. None without methods.
struct FixedMethod {
  Method method;
  PenaltyPoints points;
};
std::optional<FixedMethod> best_fixed_method(const Timings& timings);

}  // namespace colltree
