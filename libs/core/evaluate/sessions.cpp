// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/sessions.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <random>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "surrogate/complete.h"

namespace colltree::evaluate {

namespace {

// Selects the instances where some method has a time, among `allowed` where that is given.
Timings with_times(const Timings& timings, const std::set<Instance>* allowed) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    if (!timings.best_at(i)) continue;
    if (allowed == nullptr || allowed->contains(timings.instances[i])) kept.push_back(i);
  }
  return select_instances(timings, kept);
}

// The two tables have the same methods.
NoiseFloor transferred_among(const Timings& from, const Timings& to) {
  std::map<Instance, Method> best;
  for (std::size_t i = 0; i < from.instances.size(); ++i) {
    if (const auto method = from.best_at(i)) best[from.instances[i]] = from.methods[*method];
  }
  NoiseFloor floor;
  std::vector<std::size_t> common;
  for (std::size_t i = 0; i < to.instances.size(); ++i) {
    const auto chosen = best.find(to.instances[i]);
    const auto there = to.best_at(i);
    if (chosen == best.end() || !there) continue;
    common.push_back(i);
    floor.same_best += chosen->second == to.methods[*there] ? 1 : 0;
  }
  floor.judged = common.size();
  floor.common_methods = to.methods.size();
  floor.points = penalty_points(select_instances(to, common),
                                [&](const Instance& instance) { return best.at(instance); });
  return floor;
}

// The row of what the best methods of `from` lose in `to`. It also says from how many methods they
// were chosen, and how many of the two sets' methods had to be left out.
ComparisonRow floor_row(const std::string& from, const std::string& to, NoiseFloor floor,
                        std::uint64_t seed) {
  const double same = floor.share_same();
  const std::string left_out =
      floor.other_methods == 0 ? "" : fmt::format(" ({} in one only)", floor.other_methods);
  return {.chooser = kNoiseFloor,
          .detail = fmt::format("{} -> {}, {} methods{}, {:.0f} % same best", from, to,
                                floor.common_methods, left_out, 100 * same),
          .points = std::move(floor.points),
          .same_best = same,
          .bootstrap = {.seed = seed}};
}

using Names = std::pair<std::string, std::string>;

// Adds a row for each direction.
void add_rows(std::vector<ComparisonRow>& rows, const Names& names, NoiseFloor there,
              NoiseFloor back, std::uint64_t seed) {
  rows.push_back(floor_row(names.first, names.second, std::move(there), seed));
  rows.push_back(floor_row(names.second, names.first, std::move(back), seed));
}

std::vector<Timings> campaigns_of(const profile::Profile& profile,
                                  const NoiseFloorRequest& request) {
  std::vector<Timings> sessions;
  for (const profile::StoredCampaign& stored : profile.campaigns()) {
    if (stored.info.system.name != request.system) continue;
    profile::LoadOptions load = request.load;
    load.campaign = stored.id;
    auto timings = surrogate::complete(
        profile::find_timings(profile, request.system, request.collective, load));
    if (timings) sessions.push_back(std::move(*timings));
  }
  return sessions;
}

// Pairs of campaigns that have points in common; a campaign that goes on with another grid has
// none. They are in the order in which they were recorded.
void add_campaign_rows(std::vector<ComparisonRow>& rows, const profile::Profile& profile,
                       const NoiseFloorRequest& request) {
  const std::vector<Timings> sessions = campaigns_of(profile, request);
  NoiseFloor there;
  NoiseFloor back;
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    for (std::size_t k = i + 1; k < sessions.size(); ++k) {
      there.add(transferred(sessions[i], sessions[k]));
      back.add(transferred(sessions[k], sessions[i]));
    }
  }
  if (there.judged == 0) return;
  add_rows(rows, {"earlier campaign", "later campaign"}, std::move(there), std::move(back),
           request.seed);
}

}  // namespace

bool SessionPair::mixes_simulated() const {
  return (here_system.provenance == profile::kProvenanceSimulated) !=
         (there_system.provenance == profile::kProvenanceSimulated);
}

SessionPair make_session_pair(SessionPair whole) {
  const std::string_view collective = name(whole.here.collective);
  if (hash_of({whole.here}) == hash_of({whole.there})) {
    throw Error(fmt::format("{}: holds the same times of {} as {}: name another session",
                            whole.there_name, collective, whole.here_name));
  }
  const std::vector<Method> common = common_methods(whole.here, whole.there);
  if (common.empty()) {
    throw Error(fmt::format("{}: has no method of {} in common with {}", whole.there_name,
                            collective, whole.here_name));
  }
  SessionPair pair = whole;
  pair.other_methods = whole.here.methods.size() + whole.there.methods.size() - 2 * common.size();
  pair.here = with_times(select_methods(whole.here, common), nullptr);
  const std::set<Instance> known(pair.here.instances.begin(), pair.here.instances.end());
  pair.there = with_times(select_methods(whole.there, common), &known);
  if (pair.there.instances.empty()) {
    throw Error(fmt::format(
        "{}: has no instance of {} in common with {}: sizes and placement must be the same",
        whole.there_name, collective, whole.here_name));
  }
  pair.other_instances = whole.there.instances.size() - pair.there.instances.size();
  return pair;
}

profile::SystemInfo system_beside(const profile::Profile& profile, const std::string& here) {
  const std::vector<profile::SystemInfo> systems = profile.systems();
  const auto same = std::ranges::find(systems, here, &profile::SystemInfo::name);
  if (same != systems.end()) return *same;
  if (systems.size() < 2) return profile.require_system(std::nullopt);
  std::vector<std::string> names;
  for (const profile::SystemInfo& system : systems) names.push_back(system.name);
  throw Error(
      fmt::format("{}: holds several systems ({}), and none is called '{}'; bring one into a "
                  "profile of its own (colltree export --system NAME, colltree import)",
                  profile.path().string(), join(names, ", "), here));
}

std::string session_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

void NoiseFloor::add(const NoiseFloor& pair) {
  common_methods =
      judged == 0 ? pair.common_methods : std::min(common_methods, pair.common_methods);
  other_methods = std::max(other_methods, pair.other_methods);
  points.add(pair.points);
  same_best += pair.same_best;
  judged += pair.judged;
}

double NoiseFloor::share_same() const {
  return judged == 0 ? 0 : static_cast<double>(same_best) / static_cast<double>(judged);
}

NoiseFloor transferred(const Timings& from, const Timings& to) {
  const std::vector<Method> common = common_methods(from, to);
  if (common.empty()) return {};
  NoiseFloor floor = transferred_among(select_methods(from, common), select_methods(to, common));
  floor.other_methods = from.methods.size() + to.methods.size() - 2 * common.size();
  return floor;
}

const char* const kNoiseFloor = "noise floor";

std::string no_noise_floor(const std::vector<Timings>& loaded, const Comparison& comparison) {
  if (std::ranges::count(comparison.rows, kNoiseFloor, &ComparisonRow::chooser) > 0) return "";
  const bool copied = std::ranges::any_of(loaded, [&](const Timings& timings) {
    return timings.collective == comparison.collective && timings.has_copied_samples;
  });
  return fmt::format(
      "  no noise floor: {}, and no two campaigns have an instance and a method in common; measure "
      "again, or name another session with --on\n",
      copied ? "the repetitions are equal to the last digit, so they are copies of one sample"
             : "at every instance some method has a single sample");
}

std::vector<ComparisonRow> noise_floor_rows(const NoiseFloorRequest& request) {
  const profile::Profile profile(request.profile, profile::OpenMode::kRead);
  std::vector<ComparisonRow> rows;
  const auto halves = profile::find_timing_halves(profile, request.system, request.collective,
                                                  request.load, request.seed);
  if (halves) {
    add_rows(rows, {"half 1", "half 2"}, transferred(halves->first, halves->second),
             transferred(halves->second, halves->first), request.seed);
  }
  add_campaign_rows(rows, profile, request);
  if (request.sessions.empty()) return rows;
  const Timings here = surrogate::complete(
      profile::load_timings(profile, request.system, request.collective, request.load));
  for (const std::string& path : request.sessions) {
    const profile::Profile session(path, profile::OpenMode::kRead);
    const Timings there = surrogate::complete(profile::load_timings(
        session, system_beside(session, request.system).name, request.collective, request.load));
    NoiseFloor floor = transferred(here, there);
    if (floor.judged == 0) {
      throw Error(fmt::format("{}: has no point and method of {} in common with {}", path,
                              name(request.collective), request.profile));
    }
    add_rows(rows, {session_name(request.profile), session_name(path)}, std::move(floor),
             transferred(there, here), request.seed);
  }
  return rows;
}

std::vector<ComparisonRow> noise_floor_between(const SessionPair& pair, std::uint64_t seed) {
  NoiseFloor there = transferred(pair.here, pair.there);
  NoiseFloor back = transferred(pair.there, pair.here);
  there.other_methods = back.other_methods = pair.other_methods;
  std::vector<ComparisonRow> rows;
  add_rows(rows, {pair.here_name, pair.there_name}, std::move(there), std::move(back), seed);
  return rows;
}

namespace {

// Each of the two intervals may miss on either side.
double confidence_of_each(std::size_t probes) {
  return 1 - kFalseAlarms / (2 * static_cast<double>(probes));
}

constexpr std::size_t kResamples = 2000;
// With fewer rounds the bootstrap's intervals are far too narrow (n! / n^n of the draws hold
// every round).
constexpr std::size_t kFewestRounds = 5;

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// The mean logarithm of the ratio in each round, over all instances.
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

// Returns a mean logarithm of the ratio per session, over its rounds and instances.
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
  // Two-sided quantiles for 95 %, by the number of sessions, from two.
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
  constexpr std::string_view kNames[] = {"holds", "drifted", "cannot tell"};
  return kNames[static_cast<std::size_t>(standing)];
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
