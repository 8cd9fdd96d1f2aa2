// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/gain.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace colltree::evaluate {

namespace {

// Each of the two intervals may miss on either side.
double confidence_of_each(std::size_t probes) {
  return 1 - kFalseAlarms / (2 * static_cast<double>(probes));
}

constexpr std::size_t kResamples = 2000;
// With fewer rounds the bootstrap's intervals are far too narrow (n! / n^n of the draws are all).
constexpr std::size_t kFewestRounds = 5;

// Mean logarithm of the ratio of each round over all instances.
std::vector<double> round_logs(const std::vector<std::vector<Pair>>& instances) {
  std::vector<double> logs(instances.front().size());
  for (const std::vector<Pair>& rounds : instances) {
    for (std::size_t i = 0; i < rounds.size(); ++i) {
      logs[i] += std::log(rounds[i].default_us / rounds[i].tuned_us) /
                 static_cast<double>(instances.size());
    }
  }
  return logs;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

std::vector<double> factors(const std::vector<Pair>& rounds) {
  std::vector<double> factors;
  for (const Pair& pair : rounds) factors.push_back(pair.default_us / pair.tuned_us);
  return factors;
}

}  // namespace

Gain gain_of(const std::vector<std::vector<Pair>>& instances, std::uint64_t seed) {
  const std::vector<double> logs = round_logs(instances);
  Gain gain;
  gain.factor = std::exp(mean(logs));
  if (logs.size() < kFewestRounds) {
    gain.interval = {0, INFINITY};
    return gain;
  }
  std::mt19937_64 random(seed);
  std::vector<double> means;
  for (std::size_t i = 0; i < kResamples; ++i) {
    std::vector<double> drawn;
    for (std::size_t k = 0; k < logs.size(); ++k) drawn.push_back(logs[random() % logs.size()]);
    means.push_back(mean(drawn));
  }
  std::ranges::sort(means);
  gain.interval = {std::exp(means[kResamples / 40]),
                   std::exp(means[kResamples - 1 - kResamples / 40])};
  return gain;
}

Interval gain_interval(const std::vector<Pair>& rounds, double confidence) {
  const double missed = std::pow(2.0, 1.0 - static_cast<double>(rounds.size()));
  if (missed > 1 - confidence) return {0, INFINITY};
  return median_interval(factors(rounds), confidence);
}

double median_gain(const std::vector<Pair>& rounds) { return median(factors(rounds)); }

Pair medians(const std::vector<Pair>& rounds) {
  const auto median_of = [&](double Pair::*member) {
    std::vector<double> values;
    for (const Pair& pair : rounds) values.push_back(pair.*member);
    return median(values);
  };
  return {median_of(&Pair::default_us), median_of(&Pair::tuned_us)};
}

std::string_view verdict(const Gain& gain) {
  if (gain.interval.low > 1) return "faster";
  if (gain.interval.high < 1) return "slower";
  return "no significant difference";
}

std::string_view name(Standing standing) {
  switch (standing) {
    case Standing::kHolds:
      return "holds";
    case Standing::kDrifted:
      return "drifted";
    case Standing::kCannotTell:
      break;
  }
  return "cannot tell";
}

std::size_t rounds_for(std::size_t probes) {
  constexpr double kFewestRounds = 12;
  return static_cast<std::size_t>(
      std::max(kFewestRounds, std::ceil(1 - std::log2(1 - confidence_of_each(probes)))));
}

Drift judge_drift(const std::vector<Pair>& then, const std::vector<Pair>& now, std::size_t probes) {
  const double confidence = confidence_of_each(probes);
  Drift drift;
  drift.now = median_gain(now);
  drift.now_interval = gain_interval(now, confidence);
  if (!then.empty()) {
    drift.then = median_gain(then);
    drift.then_interval = gain_interval(then, confidence);
  }
  const double loss = drift.then_interval.low / drift.now_interval.high;
  const double win = then.empty() ? 0 : drift.now_interval.low / drift.then_interval.high;
  if (std::max(loss, win) > kTolerated) {
    drift.standing = Standing::kDrifted;
  } else if (drift.then_interval.high / drift.now_interval.low < kRuledOut) {
    drift.standing = Standing::kHolds;
  }
  return drift;
}

Standing judge_all(std::span<const Drift> drifts) {
  const auto count = [&](Standing standing) {
    return std::ranges::count(drifts, standing, &Drift::standing);
  };
  if (count(Standing::kDrifted) > 0) return Standing::kDrifted;
  return count(Standing::kCannotTell) > 0 || drifts.empty() ? Standing::kCannotTell
                                                            : Standing::kHolds;
}

}  // namespace colltree::evaluate
