// SPDX-License-Identifier: BSD-3-Clause
// The knowledge of a running campaign about one collective: a Gaussian process for each method over
// one grid, the best known method at each point, and the expected loss of that choice. The result
// depends only on the records, their order and the seed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "surrogate/process.h"
#include "surrogate/tail.h"

namespace colltree::surrogate {

// A method at a point of the grid.
struct GridCell {
  std::size_t method = 0;
  std::size_t point = 0;
  auto operator<=>(const GridCell&) const = default;
};

class Surrogate {
 public:
  Surrogate(PredictionGrid grid, std::size_t methods, std::uint64_t seed);
  Surrogate(Surrogate&&) = default;  // a copy's processes would point to the kernels of another

  const PredictionGrid& grid() const { return grid_; }
  std::size_t methods() const { return processes_.size(); }

  void allow(GridCell cell);   // the campaign may measure it
  void forbid(GridCell cell);  // it turned out that it cannot run
  // `relative_error`: standard deviation of the time over the time; 0 for an exact time.
  void record(GridCell cell, double time_us, double relative_error);
  // Takes in the new records. It takes milliseconds, but seconds when everything is computed again,
  // which happens when half as many cells again as last time are measured.
  void update();

  bool is_allowed(GridCell cell) const { return state_[index(cell)] != State::kNone; }
  bool is_measured(GridCell cell) const { return state_[index(cell)] == State::kMeasured; }
  // True if the cell has a time, measured or predicted.
  bool is_known(GridCell cell) const {
    return is_allowed(cell) && processes_[cell.method].conditioned();
  }
  std::size_t measured() const { return measured_; }

  // Logarithms of the times of known cells.
  double mean(GridCell cell) const { return processes_[cell.method].mean(cell.point); }
  double deviation(GridCell cell) const;
  const GridProcess& process(std::size_t method) const { return processes_[method]; }

  struct Choice {
    std::size_t best = 0;
    std::optional<std::size_t> runner_up;
  };
  // None: no method is known there.
  const std::optional<Choice>& choice(std::size_t point) const { return choices_[point]; }
  const ErrorTail& tail() const { return tail_; }

  // The number of its deviations within which a prediction is right 19 times of 20, judged by how
  // well the measured times predict others: a time from all others, all of one size from the other
  // sizes; and beyond the sizes at which the method was measured, also the ends of the measured
  // sizes from those before them.
  struct Reach {
    double within = 0;
    double beyond = 0;
  };
  Reach reach() const;
  // The loss at the measured cells of deciding by all other times, over the loss that is expected
  // of predictions that are right within `reach` deviations 19 times of 20. It covers the methods
  // before `rivals_end`: those that can be chosen.
  double loss_came_true(double reach, std::size_t rivals_end) const;
  bool is_beyond(GridCell cell) const { return processes_[cell.method].is_beyond(cell.point); }

  // The expected mean over all points of the penalty of the best known methods, a fraction: by
  // draws from all predictions with their tails, and by the share of such expectations that came
  // true.
  double expected_penalty() const { return expected_penalty_; }

  // The loss, in log time, of keeping the choice if the cell's time is its mean; a value below 0
  // says how far the mean must move before the choice changes: upwards for the best method,
  // downwards for all others.
  double lead(GridCell cell) const;

 private:
  enum class State : std::uint8_t { kNone, kAllowed, kMeasured };
  struct Record {
    GridCell cell;
    double log_time;
    double variance;
  };
  using Chosen = std::vector<std::optional<std::size_t>>;  // by point
  // The choices of a round and the loss that was expected of them for lack of knowledge.
  struct Round {
    std::size_t measured;
    Chosen chosen;
    double expected_loss;
  };

  std::size_t index(GridCell cell) const { return cell.method * grid_.points() + cell.point; }
  void learn(const Record& record);
  const GridKernel& likeliest_kernel() const;
  void choose();
  void fit_tail();
  void expect();
  // Selects the predictions that count as uncertain: those of every cell, or of measured cells only
  // (by their noise).
  enum class Uncertain : std::uint8_t { kAll, kMeasured };
  double penalty_by_draws(const Chosen& chosen, Uncertain uncertain) const;
  double penalty_by_means(const Chosen& chosen) const;
  double share_that_came_true();

  PredictionGrid grid_;
  std::uint64_t seed_;
  std::vector<GridKernel> kernels_;
  const GridKernel* kernel_ = nullptr;  // of these
  std::vector<GridProcess> processes_;
  std::vector<State> state_;
  std::vector<Record> fresh_;
  std::size_t measured_ = 0;
  std::size_t measured_when_anew_ = 0;
  std::vector<std::optional<Choice>> choices_;
  std::vector<double> surprises_;  // of measured cells, in standard deviations
  std::vector<Round> rounds_;      // those that may be looked back upon
  ErrorTail tail_;
  ErrorTail tail_of_expectation_;  // the same but at first
  double expected_penalty_ = 1;
  std::optional<double> smoothed_;  // logarithm of the expected penalty
};

}  // namespace colltree::surrogate
