// SPDX-License-Identifier: BSD-3-Clause
#include "timings/penalty.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <vector>

#include "base/random.h"

namespace colltree {

namespace {

struct Group {
  double sum = 0;
  double count = 0;
};

std::vector<Group> grouped(std::span<const double> values, std::span<const Instance> at,
                           const Bootstrap& bootstrap) {
  std::map<std::uint64_t, Group> groups;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Group& group = groups[bootstrap.group ? bootstrap.group(at[i]) : i];
    group.sum += values[i];
    group.count += 1;
  }
  std::vector<Group> all;
  for (const auto& [key, group] : groups) all.push_back(group);
  return all;
}

double mean_of_draw(const std::vector<Group>& groups, SeededRandom& random) {
  Group drawn;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Group& group = groups[random.below(groups.size())];
    drawn.sum += group.sum;
    drawn.count += group.count;
  }
  return drawn.sum / drawn.count;
}

}  // namespace

std::optional<Interval> mean_interval(std::span<const double> values, std::span<const Instance> at,
                                      const Bootstrap& bootstrap) {
  const std::vector<Group> groups = grouped(values, at, bootstrap);
  if (groups.size() < 2 || bootstrap.resamples == 0) return std::nullopt;
  SeededRandom random(bootstrap.seed);
  std::vector<double> means(bootstrap.resamples);
  for (double& mean : means) mean = mean_of_draw(groups, random);
  std::ranges::sort(means);
  const std::size_t tail = means.size() / 40;  // 2.5 % on either side
  return Interval{means[tail], means[means.size() - 1 - tail]};
}

namespace {

double penalty(double chosen_us, double best_us) {
  const double best = std::fmin(chosen_us, best_us);
  return (chosen_us - best) / best;
}

// Of all methods but the library's own choice.
double least_asked_for_us(const Timings& timings, std::size_t i) {
  double least = kNoTime;
  for (std::size_t m = 0; m < timings.methods.size(); ++m) {
    if (!is_library_default(timings.methods[m]))
      least = std::fmin(least, timings.at(i, m).known_us());
  }
  return least;
}

void add_point(PenaltyPoints& points, const Timings& timings, std::size_t i, double chosen_us) {
  const double best_us = timings.least_known_us(i);
  const double default_us = timings.default_us[i].known_us();
  if (!std::isnan(default_us)) {
    // Never -1, of which there is no logarithm: times may lie 21 orders of magnitude apart.
    points.versus_default.push_back(
        std::max((chosen_us - default_us) / default_us, std::nextafter(-1.0, 0.0)));
  }
  if (chosen_us < least_asked_for_us(timings, i)) ++points.faster_than_all;
  points.values.push_back(penalty(chosen_us, best_us));
  points.at.push_back(timings.instances[i]);
}

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
  for (const CannotRun& one : points.cannot_run) sum += one.charge;
  return sum / static_cast<double>(count);
}

std::size_t count_above(const std::vector<double>& sorted, double limit) {
  return static_cast<std::size_t>(sorted.end() - std::ranges::upper_bound(sorted, limit));
}

}  // namespace

double penalty_at(const Timings& timings, std::size_t instance, const Method& method) {
  const double chosen_us = timings.time_of(instance, method).known_us();
  return std::isnan(chosen_us) ? kNoTime : penalty(chosen_us, timings.least_known_us(instance));
}

double charged_penalty_at(const Timings& timings, std::size_t instance, const Method& method) {
  const double value = penalty_at(timings, instance, method);
  if (!std::isnan(value)) return value;
  return penalty(timings.greatest_known_us(instance), timings.least_known_us(instance));
}

void PenaltyPoints::add(const PenaltyPoints& other) {
  values.insert(values.end(), other.values.begin(), other.values.end());
  at.insert(at.end(), other.at.begin(), other.at.end());
  cannot_run.insert(cannot_run.end(), other.cannot_run.begin(), other.cannot_run.end());
  versus_default.insert(versus_default.end(), other.versus_default.begin(),
                        other.versus_default.end());
  faster_than_all += other.faster_than_all;
}

PenaltyPoints penalty_points(const Timings& timings, const Chooser& choose) {
  PenaltyPoints points;
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    const Method method = choose(timings.instances[i]);
    const double chosen_us = timings.time_of(i, method).known_us();
    if (std::isnan(chosen_us)) {
      points.cannot_run.push_back(
          {timings.instances[i], method, charged_penalty_at(timings, i, method)});
    } else {
      add_point(points, timings, i, chosen_us);
    }
  }
  return points;
}

PenaltyPoints default_penalty_points(const Timings& timings) {
  PenaltyPoints points;
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    const double chosen_us = timings.default_us[i].known_us();
    if (!std::isnan(chosen_us)) add_point(points, timings, i, chosen_us);
  }
  return points;
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
  summary.versus_default = geometric_mean(points.versus_default);
  summary.min = sorted.front();
  summary.max = sorted.back();
  summary.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / count;
  summary.median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
  summary.p95 = sorted[(n * 95 + 99) / 100 - 1];
  summary.above_50 = count_above(sorted, 0.50);
  summary.share_above_5 = static_cast<double>(count_above(sorted, 0.05)) / count;
  summary.share_above_10 = static_cast<double>(count_above(sorted, 0.10)) / count;
  summary.share_above_50 = static_cast<double>(summary.above_50) / count;
  return summary;
}

PenaltySummary summarize(const PenaltyPoints& points, const Bootstrap& bootstrap) {
  PenaltySummary summary = summarize(points);
  summary.mean_interval = mean_interval(points.values, points.at, bootstrap);
  return summary;
}

std::optional<FixedMethod> best_fixed_method(const Timings& timings) {
  std::optional<FixedMethod> best;
  const auto rank = [](const FixedMethod& fixed) {
    return std::tuple(fixed.points.cannot_run.size(), summarize(fixed.points).mean);
  };
  for (const Method& method : timings.methods) {
    if (is_library_default(method)) continue;
    FixedMethod fixed{method, penalty_points(timings, [&](const Instance&) { return method; })};
    if (!best || rank(fixed) < rank(*best)) best = std::move(fixed);
  }
  return best;
}

}  // namespace colltree
