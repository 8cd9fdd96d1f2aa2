// SPDX-License-Identifier: BSD-3-Clause
// Times at instances that were not measured: linear in the logarithms of both sizes and of the
// time; and the effect that errors of predicted times have on figures.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "timings/instance_grid.h"
#include "timings/timings.h"

namespace colltree {

// The time of each method in a hole of a map's grid. Along each axis with a measured point on both
// sides the time is interpolated between the two nearest; two axes are averaged. A method that
// cannot run at one of these points cannot run here: nothing is interpolated across it. A point
// that no axis brackets, or where then no method is left, takes the times of the nearest measured
// point.
std::vector<double> interpolated_times(const InstanceGrid& map_grid, const Timings& timings,
                                       std::size_t cell);

// The regression approach: the time of every method at any instance, interpolated between measured
// sizes along each axis (the mean of both axes if both bracket the instance); beyond an end, the
// end. A method that was not measured at one of these points cannot run.
class LogLogTimes {
 public:
  // Throws Error as make_map_grid.
  explicit LogLogTimes(const Timings& timings);
  // The method of least time. Cost: methods.
  Method choose(const Instance& instance) const;

 private:
  using Term = std::pair<std::size_t, double>;  // instance, weight
  const std::optional<std::size_t>& instance(std::size_t row, std::size_t column) const;
  std::vector<Term> terms_for(const Instance& sought) const;
  double predicted(const std::vector<Term>& terms, std::size_t method) const;

  Timings timings_;
  InstanceGrid grid_;
  std::vector<std::size_t> rows_;
  std::vector<std::size_t> columns_;
  std::vector<std::vector<std::size_t>> columns_of_row_;
  std::vector<std::vector<std::size_t>> rows_of_column_;
  std::vector<double> log_times_;  // instances x methods
};

// The figures of a table when predicted times are wrong by as much as their intervals say: the
// times of the table are drawn many times, and always the same for a table.
//
// The least of many drawn times is too small, because the errors of a table are correlated and its
// best methods are known better than the others. So the loss by the draws counts only with the
// share that came true where it could be tried (Timings::loss_came_true), which is itself uncertain
// and drawn.
inline constexpr std::size_t kPredictionDraws = 64;
// Greater errors of log time, and greater losses, do not count: nothing is known about them.
inline constexpr double kMostLogError = 3;

class PredictionDraws {
 public:
  // The table must outlive this.
  explicit PredictionDraws(const Timings& timings);

  const Timings& timings() const { return timings_; }

  // One draw: the penalty of the chosen method, that penalty with the usual share of the loss, the
  // time of the chosen method and that of the default.
  struct Drawn {
    double penalty = 0;
    double usual_penalty = 0;
    double chosen_us = kNoTime;
    double default_us = kNoTime;
  };
  // All draws; none if no prediction can change the figures of the instance. `chosen` is a column
  // of the table; none: the default. Valid until the next call. Cost: draws, and at the first call
  // for an instance also x methods that may be best; nothing if the instance was last asked for the
  // same choice, as trees of nearly the same size do.
  const std::vector<Drawn>& drawn_at(std::size_t instance, std::optional<std::size_t> chosen);

 private:
  Time time_of(std::size_t instance, std::size_t column) const;
  const std::vector<double>& errors(std::size_t instance, std::size_t column);
  std::vector<double> drawn_us(std::size_t instance, std::size_t column);
  // The times at an instance that are the same for every choice.
  struct Rivals {
    bool predicted = false;        // the time of the default or of a method that may be best
    std::vector<double> least_us;  // by draw
    std::vector<double> default_us;
  };
  const Rivals& rivals_at(std::size_t instance);
  struct Answer {
    std::optional<std::size_t> column;  // none: nothing was asked yet
    std::vector<Drawn> drawn;
  };

  const Timings& timings_;
  std::size_t default_column_;  // behind the methods where it is none of them
  bool any_ = false;
  std::vector<double> came_true_;  // of the loss, by draw
  // The errors of a method within a block of neighbouring sizes: a standard normal number a draw.
  std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> errors_;
  std::vector<std::optional<Rivals>> rivals_;  // by instance, once they were asked for
  std::vector<Answer> last_;                   // by instance
};

}  // namespace colltree
