// SPDX-License-Identifier: BSD-3-Clause
#include "surrogate/surrogate.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "base/random.h"
#include "surrogate/kernel_fit.h"

namespace colltree {

namespace {

constexpr double kMostLog = 3;  // a loss is counted up to a factor of e^3

double as_fraction(double log_ratio) { return std::expm1(std::min(log_ratio, kMostLog)); }

}  // namespace

Surrogate::Surrogate(PredictionGrid grid, std::size_t methods, std::uint64_t seed)
    : grid_(std::move(grid)),
      seed_(seed),
      processes_(methods, GridProcess(grid_)),
      state_(methods * grid_.points(), State::kNone),
      parameters_(usual_kernel_parameters()),
      choices_(grid_.points()) {}

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
  const Choice& at = *choices_[cell.point];
  const double best = mean({at.best, cell.point});
  if (cell.method != at.best) return best - mean(cell);
  return at.runner_up ? best - mean({*at.runner_up, cell.point}) : -kMostLog;
}

// What was expected of this measurement, and what came of it.
void Surrogate::learn(const Record& record) {
  const std::optional<Choice>& at = choices_[record.cell.point];
  if (!at || !processes_[record.cell.method].conditioned()) return;
  const double error = record.log_time - mean(record.cell);
  const double predicted = deviation(record.cell);
  const double with_noise = std::sqrt(predicted * predicted + record.variance);
  // Of an error of measurement the mean follows only this share; it is no gain either.
  const double follows = predicted * predicted / (with_noise * with_noise);
  const double lead_before = lead(record.cell);
  const double shift = follows * (record.cell.method == at->best ? error : -error);
  lessons_.push_back({error / with_noise,
                      tail_.usual_expected_excess(lead_before, predicted * std::sqrt(follows)),
                      std::max(0.0, lead_before + shift)});
}

void Surrogate::update() {
  constexpr double kFitAgain = 1.5;
  for (const Record& record : fresh_) learn(record);
  std::vector<std::vector<Record>> by_method(methods());
  for (const Record& record : fresh_) by_method[record.cell.method].push_back(record);
  fresh_.clear();
  in_parallel(methods(), methods(), [&](std::size_t m) {
    for (const Record& record : by_method[m])
      processes_[m].observe(record.cell.point, record.log_time, record.variance);
    if (kernel_ != nullptr && !processes_[m].conditioned() && processes_[m].size() > 0)
      processes_[m].condition(*kernel_);
  });
  if (static_cast<double>(measured_) >= kFitAgain * static_cast<double>(measured_at_fit_))
    condition();
  choose();
  fit_tail();
  expect();
}

void Surrogate::condition() {
  parameters_ = fit_kernel(grid_, processes_, parameters_, seed_);
  auto kernel = std::make_unique<GridKernel>(grid_, parameters_);
  in_parallel(methods(), methods(), [&](std::size_t m) {
    if (processes_[m].size() > 0) processes_[m].condition(*kernel);
  });
  kernel_ = std::move(kernel);
  measured_at_fit_ = measured_;
}

void Surrogate::choose() {
  for (std::size_t point = 0; point < grid_.points(); ++point) {
    choices_[point].reset();
    for (std::size_t m = 0; m < methods(); ++m) {
      if (!is_known({m, point})) continue;
      std::optional<Choice>& at = choices_[point];
      if (!at) {
        at = Choice{m, std::nullopt};
      } else if (mean({m, point}) < mean({at->best, point})) {
        at = Choice{m, at->best};
      } else if (!at->runner_up || mean({m, point}) < mean({*at->runner_up, point})) {
        at->runner_up = m;
      }
    }
  }
}

std::span<const Surrogate::Lesson> Surrogate::latest_lessons(std::size_t fewest,
                                                             double share) const {
  const auto part = static_cast<std::size_t>(share * static_cast<double>(lessons_.size()));
  return std::span(lessons_).last(std::min(lessons_.size(), std::max(fewest, part)));
}

void Surrogate::fit_tail() {
  constexpr std::size_t kFewest = 20;
  if (lessons_.size() < kFewest) return;
  std::vector<double> surprises;
  for (const Lesson& lesson : latest_lessons(200, 0.5)) surprises.push_back(lesson.surprise);
  tail_ = ErrorTail::fitted(surprises);
}

void Surrogate::expect() {
  // One round's figure jumps with the tail; added: what no campaign can tell from nothing.
  constexpr double kNothing = 5e-4;
  constexpr double kWeightOfLatest = 0.35;
  // Only what measuring could still tell can come true on the cells that were measured.
  const double of_noise = penalty_by_draws(Uncertain::kMeasured);
  const double of_the_unknown = std::max(0.0, penalty_by_draws(Uncertain::kAll) - of_noise);
  const double now = std::log(of_noise + of_the_unknown * gain_that_came_true() + kNothing);
  smoothed_ = smoothed_ ? *smoothed_ + kWeightOfLatest * (now - *smoothed_) : now;
  expected_penalty_ = std::max(0.0, std::exp(*smoothed_) - kNothing);
}

double Surrogate::penalty_by_draws(Uncertain uncertain) const {
  // Over all points together they are many; a large grid needs fewer of each.
  constexpr std::size_t kDrawsOfAll = 50000;
  const auto draws =
      std::clamp<std::size_t>(kDrawsOfAll / std::max<std::size_t>(1, grid_.points()), 4, 32);
  constexpr double kReach = 6;  // deviations within which a method may be the best
  SeededRandom random(seed_);
  const std::span<const ErrorTail::Width> widths = tail_.usual_widths();
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
    if (!choices_[point]) continue;
    ++points;
    const GridCell best{choices_[point]->best, point};
    const double limit = mean(best) + kReach * deviation(best);
    rivals.clear();
    for (std::size_t m = 0; m < methods(); ++m) {
      const GridCell cell{m, point};
      if (m == best.method || !is_known(cell)) continue;
      if (mean(cell) - kReach * deviation(cell) < limit) rivals.push_back(m);
    }
    if (rivals.empty()) continue;
    for (std::size_t i = 0; i < draws; ++i) {
      const double chosen = draw(best);
      double least = chosen;
      for (const std::size_t m : rivals) least = std::min(least, draw({m, point}));
      sum += as_fraction(chosen - least) / static_cast<double>(draws);
    }
  }
  return points == 0 ? 1 : sum / static_cast<double>(points);
}

// The share of the expected gains of measuring cells that was really gained, of the latest ones;
// before there are any, all of it.
double Surrogate::gain_that_came_true() const {
  constexpr double kDoubt = 5;  // cells' worth of "half of it"
  constexpr double kMost = 3;   // a surprise where next to nothing was expected says no more
  const std::span<const Lesson> latest = latest_lessons(150, 0.4);
  if (latest.empty()) return 1;
  double expected = 0;
  double came = 0;
  for (const Lesson& lesson : latest) {
    expected += as_fraction(lesson.expected_gain);
    came += as_fraction(lesson.gain);
  }
  const double doubt = kDoubt * expected / static_cast<double>(latest.size());
  return expected == 0 ? 1 : std::min(kMost, (came + 0.5 * doubt) / (expected + doubt));
}

}  // namespace colltree
