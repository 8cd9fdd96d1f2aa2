// SPDX-License-Identifier: BSD-3-Clause
#include "surrogate/surrogate.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "base/random.h"
#include "base/statistics.h"
#include "base/work.h"
#include "surrogate/constants.h"

namespace colltree::surrogate {

namespace {

double as_fraction(double log_ratio) { return std::expm1(std::min(log_ratio, kMostLogLoss)); }

}  // namespace

Surrogate::Surrogate(PredictionGrid grid, std::size_t methods, std::uint64_t seed)
    : grid_(std::move(grid)),
      seed_(seed),
      processes_(methods, GridProcess(grid_)),
      state_(methods * grid_.points(), State::kNone),
      choices_(grid_.points()) {
  for (const Kernel& kernel : kCampaignKernels) kernels_.emplace_back(grid_, kernel);
}

void Surrogate::allow(GridCell cell) {
  if (state_[index(cell)] == State::kNone) state_[index(cell)] = State::kAllowed;
}

void Surrogate::forbid(GridCell cell) {
  if (state_[index(cell)] == State::kAllowed) state_[index(cell)] = State::kNone;
}

void Surrogate::record(GridCell cell, double time_us, double relative_error) {
  if (is_measured(cell)) return;
  state_[index(cell)] = State::kMeasured;
  ++measured_;
  fresh_.push_back({cell, std::log(time_us), relative_error * relative_error});
}

double Surrogate::deviation(GridCell cell) const {
  return std::sqrt(processes_[cell.method].variance(cell.point));
}

double Surrogate::lead(GridCell cell) const {
  const Choice& choice = *choices_[cell.point];
  const double best = mean({choice.best, cell.point});
  if (cell.method != choice.best) return best - mean(cell);
  return choice.runner_up ? best - mean({*choice.runner_up, cell.point}) : -kMostLogLoss;
}

void Surrogate::learn(const Record& record) {
  if (!choices_[record.cell.point] || !processes_[record.cell.method].conditioned()) return;
  const double predicted = deviation(record.cell);
  surprises_.push_back((record.log_time - mean(record.cell)) /
                       std::sqrt(predicted * predicted + record.variance));
}

void Surrogate::update() {
  for (const Record& record : fresh_) learn(record);
  std::vector<std::vector<Record>> by_method(methods());
  for (const Record& record : fresh_) by_method[record.cell.method].push_back(record);
  fresh_.clear();
  const bool anew =
      static_cast<double>(measured_) >= kAnewGrowth * static_cast<double>(measured_when_anew_);
  in_parallel(methods(), methods(), [&](std::size_t m) {
    for (const Record& record : by_method[m])
      processes_[m].observe(record.cell.point, record.log_time, record.variance);
  });
  if (anew) {
    measured_when_anew_ = measured_;
    kernel_ = &likeliest_kernel();
  }
  in_parallel(methods(), methods(), [&](std::size_t m) {
    GridProcess& process = processes_[m];
    if (process.size() > 0 && (anew || !process.conditioned())) process.condition(*kernel_);
  });
  choose();
  fit_tail();
  expect();
}

const GridKernel& Surrogate::likeliest_kernel() const {
  std::vector<double> logs(methods() * kernels_.size(), 0);
  in_parallel(logs.size(), logs.size(), [&](std::size_t i) {
    const GridProcess& process = processes_[i / kernels_.size()];
    if (process.size() > 1) logs[i] = process.log_likelihood(kernels_[i % kernels_.size()]);
  });
  std::vector<double> sums(kernels_.size(), 0);
  for (std::size_t i = 0; i < logs.size(); ++i) sums[i % sums.size()] += logs[i];
  return kernels_[static_cast<std::size_t>(std::ranges::max_element(sums) - sums.begin())];
}

void Surrogate::choose() {
  for (std::size_t point = 0; point < grid_.points(); ++point) {
    choices_[point].reset();
    for (std::size_t m = 0; m < methods(); ++m) {
      if (!is_known({m, point})) continue;
      std::optional<Choice>& choice = choices_[point];
      if (!choice) {
        choice = Choice{m, std::nullopt};
      } else if (mean({m, point}) < mean({choice->best, point})) {
        choice = Choice{m, choice->best};
      } else if (!choice->runner_up || mean({m, point}) < mean({*choice->runner_up, point})) {
        choice->runner_up = m;
      }
    }
  }
}

void Surrogate::fit_tail() {
  if (surprises_.size() >= kFewestMisses) {
    const std::size_t latest = std::max(kLatestSurprises, surprises_.size() / 2);
    tail_ = ErrorTail::fitted(std::span(surprises_).last(std::min(surprises_.size(), latest)));
    tail_of_expectation_ = tail_;
    return;
  }
  // Without surprises the first cells must do: how well they predict each other. That is too little
  // to choose by, because on some systems they lie smoothly and the cells between them do not.
  std::vector<double> misses;
  for (const GridProcess& process : processes_) {
    if (process.size() < kFewestOfMethod) continue;
    std::ranges::copy(process.misses(), std::back_inserter(misses));
  }
  if (misses.size() >= kFewestMisses) tail_of_expectation_ = ErrorTail::fitted(misses);
}

Surrogate::Reach Surrogate::reach() const {
  const auto deviations = [](const std::vector<double>& misses) {
    return misses.size() < kFewestMisses ? 0 : ErrorTail::fitted(misses).deviations_of_95();
  };
  std::vector<std::vector<double>> by_size(methods());
  std::vector<std::vector<double>> ends(methods());
  in_parallel(methods(), methods(), [&](std::size_t m) {
    if (!processes_[m].conditioned()) return;
    by_size[m] = processes_[m].misses_by_size();
    ends[m] = processes_[m].misses_at_ends();
  });
  std::vector<double> of_sizes;
  std::vector<double> of_ends;
  for (std::size_t m = 0; m < methods(); ++m) {
    of_sizes.insert(of_sizes.end(), by_size[m].begin(), by_size[m].end());
    of_ends.insert(of_ends.end(), ends[m].begin(), ends[m].end());
  }
  const double within = std::max(tail_of_expectation_.deviations_of_95(), deviations(of_sizes));
  const Reach reach{within, std::max(within, deviations(of_ends))};
  return reach;
}

namespace {

// The mean loss of deciding by a mean that is `gap` from the alternative when the log time is
// normal, at most e^kMostLogLoss - 1 for each time.
double expected_regret(double gap, double deviation) {
  const auto below = [](double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); };
  if (deviation < 1e-9) return 0;
  deviation = std::min(deviation, 2 * kMostLogLoss);
  const double from = gap / deviation;
  const double to = (gap + kMostLogLoss) / deviation;
  return std::exp(deviation * deviation / 2 - gap) *
             (below(deviation - from) - below(deviation - to)) +
         std::expm1(kMostLogLoss) * below(-to) - (below(to) - below(from));
}

}  // namespace

double Surrogate::loss_came_true(double reach, std::size_t rivals_end) const {
  double lost = kUsualShare * kLossAsUsual;
  double expected = kLossAsUsual;
  for (std::size_t m = 0; m < rivals_end; ++m) {
    if (processes_[m].size() < kFewestToForetell) continue;
    for (const GridProcess::Foretold& prediction : processes_[m].foretold()) {
      double best = INFINITY;
      for (std::size_t rival = 0; rival < rivals_end; ++rival) {
        if (rival != m && is_known({rival, prediction.point}))
          best = std::min(best, mean({rival, prediction.point}));
      }
      if (!std::isfinite(best)) continue;
      const double sign = prediction.mean < best ? 1 : -1;
      lost += as_fraction(std::max(0.0, sign * (prediction.log_time - best)));
      expected += expected_regret(std::abs(prediction.mean - best),
                                  prediction.deviation * reach / kDeviationsOf95);
    }
  }
  return kShareElsewhere * lost / expected;
}

void Surrogate::expect() {
  Chosen chosen(grid_.points());
  for (std::size_t point = 0; point < grid_.points(); ++point) {
    if (choices_[point]) chosen[point] = choices_[point]->best;
  }
  const double of_noise = penalty_by_draws(chosen, Uncertain::kMeasured);
  const double of_all = penalty_by_draws(chosen, Uncertain::kAll);
  // Only a loss that measuring could still reveal can have come true.
  const double of_the_unknown = std::max(0.0, of_all - of_noise);
  const double now =
      std::log(kNoiseShare * of_noise + of_the_unknown * share_that_came_true() + kPenaltyFloor);
  // The figure of a single round jumps with the tail.
  smoothed_ = smoothed_ ? *smoothed_ + kLatestWeight * (now - *smoothed_) : now;
  expected_penalty_ = std::max(0.0, std::exp(*smoothed_) - kPenaltyFloor);
  rounds_.push_back({measured_, std::move(chosen), of_all});
}

// The loss, by today's knowledge, of the choices made a fifth of the cells ago, over the loss that
// was expected then. Today's knowledge takes the geometric mean of the loss by the predicted means
// and the loss that draws of all uncertain times let expect.
double Surrogate::share_that_came_true() {
  const auto back = static_cast<std::size_t>(kHindsightCells * static_cast<double>(measured_));
  std::size_t earlier = 0;
  while (earlier < rounds_.size() && rounds_[earlier].measured <= back) ++earlier;
  if (earlier == 0) return 1;
  rounds_.erase(rounds_.begin(), rounds_.begin() + static_cast<std::ptrdiff_t>(earlier) - 1);
  const Round& then = rounds_.front();
  const double loses = std::sqrt((penalty_by_means(then.chosen) + kPenaltyFloor) *
                                 (penalty_by_draws(then.chosen, Uncertain::kAll) + kPenaltyFloor));
  return std::pow(std::min(kMostHindsight, loses / (then.expected_loss + kPenaltyFloor)),
                  kHindsightTrust);
}

double Surrogate::penalty_by_means(const Chosen& chosen) const {
  double sum = 0;
  for (std::size_t point = 0; point < grid_.points(); ++point) {
    if (chosen[point] && choices_[point])
      sum += as_fraction(mean({*chosen[point], point}) - mean({choices_[point]->best, point}));
  }
  return sum / static_cast<double>(grid_.points());
}

double Surrogate::penalty_by_draws(const Chosen& chosen, Uncertain uncertain) const {
  // The draws of all points together are many, so a large grid needs fewer at each point.
  const auto draws = std::clamp<std::size_t>(kDraws / std::max<std::size_t>(1, grid_.points()),
                                             kFewestDraws, kMostDraws);
  SeededRandom random(seed_);
  const std::span<const ErrorTail::Width> widths = tail_of_expectation_.usual_widths();
  double weights = 0;
  for (const auto& width : widths) weights += width.weight;
  const auto draw = [&](GridCell cell) {
    double deviation_here = deviation(cell);
    if (!is_measured(cell)) {
      if (uncertain == Uncertain::kMeasured) return mean(cell);
      double u = random.uniform() * weights;
      std::size_t i = 0;
      while (i + 1 < widths.size() && u > widths[i].weight) u -= widths[i++].weight;
      deviation_here *= widths[i].factor;
    }
    return mean(cell) + deviation_here * random.normal();
  };
  double sum = 0;
  std::size_t points = 0;
  std::vector<std::size_t> rivals;
  for (std::size_t point = 0; point < grid_.points(); ++point) {
    if (!chosen[point]) continue;
    ++points;
    const GridCell best{*chosen[point], point};
    const double limit = mean(best) + kRivalReach * deviation(best);
    rivals.clear();
    for (std::size_t m = 0; m < methods(); ++m) {
      const GridCell cell{m, point};
      if (m == best.method || !is_known(cell)) continue;
      if (mean(cell) - kRivalReach * deviation(cell) < limit) rivals.push_back(m);
    }
    if (rivals.empty()) continue;
    for (std::size_t i = 0; i < draws; ++i) {
      const double drawn = draw(best);
      double least = drawn;
      for (const std::size_t m : rivals) least = std::min(least, draw({m, point}));
      sum += as_fraction(drawn - least) / static_cast<double>(draws);
    }
  }
  return points == 0 ? 1 : sum / static_cast<double>(points);
}

}  // namespace colltree::surrogate
