// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/gain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
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

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

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

// For each session, the mean over all rounds and instances of the logarithm of the ratio.
std::vector<double> session_logs(const std::vector<std::vector<Pair>>& instances) {
  std::map<std::size_t, std::vector<double>> logs;
  for (const std::vector<Pair>& rounds : instances) {
    for (const Pair& pair : rounds)
      logs[pair.session].push_back(std::log(pair.default_us / pair.tuned_us));
  }
  std::vector<double> means;
  for (const auto& [session, of_session] : logs) means.push_back(mean(of_session));
  return means;
}

Gain gain_of_sessions(const std::vector<double>& logs) {
  // Of 95 % two-sided, by the number of sessions, from two.
  constexpr std::array<double, kMostSessions - 1> kStudent = {
      12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201};
  const double middle = mean(logs);
  const auto count = static_cast<double>(logs.size());
  double squares = 0;
  for (const double log : logs) squares += (log - middle) * (log - middle);
  const double half =
      kStudent[std::min(logs.size(), kMostSessions) - 2] * std::sqrt(squares / (count - 1) / count);
  return {std::exp(middle), {std::exp(middle - half), std::exp(middle + half)}};
}

std::vector<double> factors(const std::vector<Pair>& rounds) {
  std::vector<double> factors;
  for (const Pair& pair : rounds) factors.push_back(pair.default_us / pair.tuned_us);
  return factors;
}

}  // namespace

Gain gain_of(const std::vector<std::vector<Pair>>& instances, std::uint64_t seed) {
  if (const auto sessions = session_logs(instances); sessions.size() > 1)
    return gain_of_sessions(sessions);
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
  Interval interval = median_interval(factors(rounds), confidence);
  if (const auto sessions = session_logs({rounds}); sessions.size() > 1) {
    const Interval between = gain_of_sessions(sessions).interval;
    interval = {std::min(interval.low, between.low), std::max(interval.high, between.high)};
  }
  return interval;
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
