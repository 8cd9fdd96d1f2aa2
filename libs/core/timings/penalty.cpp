// SPDX-License-Identifier: BSD-3-Clause
#include "timings/penalty.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "timings/interpolation.h"

namespace colltree {

namespace {

// Values that are drawn together: the sum of each group in each draw of the errors of predictions,
// and the number of values in it.
struct Groups {
  std::vector<double> sums;
  std::vector<double> counts;
};

Groups grouped(std::span<const double> values, std::span<const Instance> instances,
               const Bootstrap& bootstrap, std::size_t draws) {
  std::vector<std::pair<std::uint64_t, std::size_t>> members;  // of each group, by group
  for (std::size_t i = 0; i < values.size() / draws; ++i)
    members.emplace_back(bootstrap.group ? bootstrap.group(instances[i]) : i, i);
  std::ranges::sort(members);
  Groups groups;
  for (std::size_t draw = 0; draw < draws; ++draw) {
    for (std::size_t k = 0; k < members.size(); ++k) {
      const bool begins = k == 0 || members[k].first != members[k - 1].first;
      if (begins) groups.sums.push_back(0);
      groups.sums.back() += values[members[k].second * draws + draw];
      if (begins && draw == 0) groups.counts.push_back(0);
      if (draw == 0) ++groups.counts.back();
    }
  }
  return groups;
}

double mean_of_draw(const Groups& groups, std::span<const std::uint32_t> drawn_groups,
                    std::size_t draw) {
  const std::size_t count = groups.counts.size();
  const auto sums = std::span(groups.sums).subspan(draw * count, count);
  double sum = 0;
  double values = 0;
  for (const std::uint32_t group : drawn_groups) {
    sum += sums[group];
    values += groups.counts[group];
  }
  return sum / values;
}

// The groups of all resamples, `count` for each. The last results are kept, because the many trees
// of a report have the same instances and drawing again took a sixth of its time.
std::span<const std::uint32_t> drawn_groups(const Bootstrap& bootstrap, std::size_t count) {
  constexpr std::size_t kKept = 4;
  thread_local std::map<std::array<std::uint64_t, 3>, std::vector<std::uint32_t>> known;
  const std::array<std::uint64_t, 3> key = {bootstrap.seed, bootstrap.resamples, count};
  if (const auto found = known.find(key); found != known.end()) return found->second;
  if (known.size() == kKept) known.clear();
  std::vector<std::uint32_t>& groups = known[key];
  SeededRandom random(bootstrap.seed);
  groups.resize(bootstrap.resamples * count);
  for (std::uint32_t& group : groups) group = static_cast<std::uint32_t>(random.below(count));
  return groups;
}

}  // namespace

std::optional<Interval> mean_interval(std::span<const double> values,
                                      std::span<const Instance> instances,
                                      const Bootstrap& bootstrap,
                                      std::span<const double> drawn_values) {
  const std::size_t draws = drawn_values.empty() ? 1 : drawn_values.size() / values.size();
  const Groups groups =
      grouped(drawn_values.empty() ? values : drawn_values, instances, bootstrap, draws);
  if (groups.counts.size() < 2 || bootstrap.resamples == 0) return std::nullopt;
  const std::size_t count = groups.counts.size();
  const auto drawn = drawn_groups(bootstrap, count);
  std::vector<double> means(bootstrap.resamples);
  for (std::size_t i = 0; i < means.size(); ++i)
    means[i] = mean_of_draw(groups, drawn.subspan(i * count, count), i % draws);
  std::ranges::sort(means);
  const std::size_t tail = means.size() / 40;  // 2.5 % on either side
  return Interval{means[tail], means[means.size() - 1 - tail]};
}

namespace {

double penalty(double chosen_us, double best_us) {
  const double best = std::fmin(chosen_us, best_us);
  return (chosen_us - best) / best;
}

// The least time of all methods but the library's own choice.
double least_asked_for_us(const Timings& timings, std::size_t i) {
  double least = kNoTime;
  for (std::size_t m = 0; m < timings.methods.size(); ++m) {
    if (!is_library_default(timings.methods[m]))
      least = std::fmin(least, timings.time_at(i, m).known_us());
  }
  return least;
}

// Never -1, which has no logarithm: times may differ by 21 orders of magnitude.
double change(double chosen_us, double default_us) {
  return std::max((chosen_us - default_us) / default_us, std::nextafter(-1.0, 0.0));
}

// A value without draws is the same in all of them.
void fill_draws(const std::vector<double>& values, std::vector<double>& drawn) {
  for (std::size_t i = drawn.size() / kPredictionDraws; i < values.size(); ++i)
    drawn.insert(drawn.end(), kPredictionDraws, values[i]);
}

// Adds the draws of the last value; with none, the value is certain.
void add_draws(const std::vector<double>& values, std::vector<double>& drawn,
               const std::vector<double>& of_last) {
  if (drawn.empty() && of_last.empty()) return;
  fill_draws(values, drawn);
  std::ranges::copy(of_last, drawn.end() - static_cast<std::ptrdiff_t>(kPredictionDraws));
}

class Points {
 public:
  explicit Points(PredictionDraws& draws) : timings_(draws.timings()), draws_(draws) {}

  // `chosen` is as in PredictionDraws::drawn_at.
  void add(std::size_t i, const Time& time, std::optional<std::size_t> chosen) {
    const double chosen_us = time.known_us();
    const double default_us = timings_.default_us[i].known_us();
    const bool has_default = !std::isnan(default_us);
    if (has_default) points_.versus_default.push_back(change(chosen_us, default_us));
    if (chosen_us < least_asked_for_us(timings_, i)) ++points_.faster_than_all;
    points_.values.push_back(penalty(chosen_us, timings_.least_known_us(i)));
    points_.instances.push_back(timings_.instances[i]);
    const auto best = timings_.best_at(i);
    if (time.is_predicted() || (best && timings_.time_at(i, *best).is_predicted()))
      ++points_.predicted;
    add_draws(i, chosen, has_default);
  }

  void cannot_run(std::size_t i, const Method& method) {
    points_.cannot_run.push_back(
        {timings_.instances[i], method, charged_penalty_at(timings_, i, method)});
  }

  PenaltyPoints take() { return std::move(points_); }

 private:
  void add_draws(std::size_t i, std::optional<std::size_t> chosen, bool has_default) {
    std::vector<double> values;
    std::vector<double> versus_default;
    double usual = 0;
    for (const PredictionDraws::Drawn& drawn : draws_.drawn_at(i, chosen)) {
      values.push_back(drawn.penalty);
      usual += drawn.usual_penalty / static_cast<double>(kPredictionDraws);
      if (has_default) versus_default.push_back(change(drawn.chosen_us, drawn.default_us));
    }
    if (!values.empty()) points_.values.back() = usual;
    colltree::add_draws(points_.values, points_.drawn_values, values);
    if (has_default)
      colltree::add_draws(points_.versus_default, points_.drawn_versus_default, versus_default);
  }

  const Timings& timings_;
  PredictionDraws& draws_;
  PenaltyPoints points_;
};

std::optional<double> geometric_mean(const std::vector<double>& fractions) {
  if (fractions.empty()) return std::nullopt;
  double sum = 0;
  for (const double fraction : fractions) sum += std::log1p(fraction);
  return std::expm1(sum / static_cast<double>(fractions.size()));
}

double charged_mean(const PenaltyPoints& points) {
  const std::size_t count = points.values.size() + points.cannot_run.size();
  if (count == 0) return 0;
  double sum = std::accumulate(points.values.begin(), points.values.end(), 0.0);
  for (const CannotRun& failure : points.cannot_run) sum += failure.charge;
  return sum / static_cast<double>(count);
}

std::size_t count_above(const std::vector<double>& values, double limit) {
  return static_cast<std::size_t>(
      std::ranges::count_if(values, [&](double value) { return value > limit; }));
}

double share_above(const std::vector<double>& values, double limit) {
  return static_cast<double>(count_above(values, limit)) / static_cast<double>(values.size());
}

}  // namespace

double charged_penalty_at(const Timings& timings, std::size_t instance, const Method& method) {
  const double chosen_us = timings.time_of(instance, method).known_us();
  return penalty(std::isnan(chosen_us) ? timings.greatest_known_us(instance) : chosen_us,
                 timings.least_known_us(instance));
}

namespace {

void append(std::vector<double>& values, std::vector<double>& drawn,
            const std::vector<double>& other_values, const std::vector<double>& other_drawn) {
  const bool any = !drawn.empty() || !other_drawn.empty();
  if (any) fill_draws(values, drawn);
  values.insert(values.end(), other_values.begin(), other_values.end());
  drawn.insert(drawn.end(), other_drawn.begin(), other_drawn.end());
  if (any) fill_draws(values, drawn);
}

}  // namespace

void PenaltyPoints::add(const PenaltyPoints& points) {
  append(values, drawn_values, points.values, points.drawn_values);
  append(versus_default, drawn_versus_default, points.versus_default, points.drawn_versus_default);
  instances.insert(instances.end(), points.instances.begin(), points.instances.end());
  cannot_run.insert(cannot_run.end(), points.cannot_run.begin(), points.cannot_run.end());
  faster_than_all += points.faster_than_all;
  predicted += points.predicted;
}

PenaltyPoints penalty_points(const Timings& timings, const Chooser& choose) {
  PredictionDraws draws(timings);
  return penalty_points(draws, choose);
}

PenaltyPoints penalty_points(PredictionDraws& draws, const Chooser& choose) {
  const Timings& timings = draws.timings();
  Points points(draws);
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    const Method method = choose(timings.instances[i]);
    const Time time = timings.time_of(i, method);
    if (time.is_impossible()) {
      points.cannot_run(i, method);
    } else {
      points.add(i, time, is_library_default(method) ? std::nullopt : timings.column_of(i, method));
    }
  }
  return points.take();
}

PenaltyPoints default_penalty_points(const Timings& timings) {
  PredictionDraws draws(timings);
  Points points(draws);
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    if (!timings.default_us[i].is_impossible()) points.add(i, timings.default_us[i], std::nullopt);
  }
  return points.take();
}

PenaltySummary summarize(const PenaltyPoints& points) {
  PenaltySummary summary;
  std::vector<double> sorted = points.values;
  summary.charged_mean = charged_mean(points);
  if (sorted.empty()) return summary;
  std::ranges::sort(sorted);
  const std::size_t n = sorted.size();
  const auto count = static_cast<double>(n);
  summary.instances = n;
  summary.predicted = points.predicted;
  summary.versus_default = geometric_mean(points.versus_default);
  if (summary.versus_default)
    summary.share_slower = share_above(points.versus_default, kNoticeable);
  summary.min = sorted.front();
  summary.max = sorted.back();
  summary.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / count;
  summary.geometric_mean = geometric_mean(sorted);
  summary.median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
  summary.p95 = sorted[(n * 95 + 99) / 100 - 1];
  summary.above_50 = count_above(sorted, 0.50);
  summary.share_above_5 = share_above(sorted, 0.05);
  summary.share_above_10 = share_above(sorted, 0.10);
  summary.share_above_50 = share_above(sorted, 0.50);
  return summary;
}

PenaltySummary summarize(const PenaltyPoints& points, const Bootstrap& bootstrap) {
  PenaltySummary summary = summarize(points);
  summary.mean_interval =
      mean_interval(points.values, points.instances, bootstrap, points.drawn_values);
  return summary;
}

std::optional<FixedMethod> best_fixed_method(const Timings& timings) {
  // A method that cannot run at more instances than another is not the best.
  std::vector<std::size_t> failures(timings.methods.size(), 0);
  std::size_t fewest = SIZE_MAX;
  for (std::size_t m = 0; m < failures.size(); ++m) {
    if (is_library_default(timings.methods[m])) continue;
    for (std::size_t i = 0; i < timings.instances.size(); ++i)
      failures[m] += timings.time_of(i, timings.methods[m]).is_impossible() ? 1 : 0;
    fewest = std::min(fewest, failures[m]);
  }
  PredictionDraws draws(timings);
  std::optional<FixedMethod> best;
  for (std::size_t m = 0; m < failures.size(); ++m) {
    const Method& method = timings.methods[m];
    if (is_library_default(method) || failures[m] > fewest) continue;
    FixedMethod fixed{method, penalty_points(draws, [&](const Instance&) { return method; })};
    if (!best || summarize(fixed.points).mean < summarize(best->points).mean)
      best = std::move(fixed);
  }
  return best;
}

}  // namespace colltree
