// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/sessions.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/error.h"
#include "surrogate/complete.h"

namespace colltree::evaluate {

namespace {

// The instances where some method has a time, among `allowed` where that is given.
Timings with_times(const Timings& timings, const std::set<Instance>* allowed) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    if (!timings.best_at(i)) continue;
    if (allowed == nullptr || allowed->contains(timings.instances[i])) kept.push_back(i);
  }
  return select_instances(timings, kept);
}

bool is_simulated(const profile::SystemInfo& system) {
  return system.provenance == profile::kProvenanceSimulated;
}

// Of two tables with the same methods.
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

// What the best methods of `from` lose in `to`, and what else the row has to say: from how many
// methods they were chosen, and how many of the two sets' methods had to be left out.
ComparisonRow row_of(const std::string& from, const std::string& to, NoiseFloor floor,
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

// Both directions, each a row.
void add_rows(std::vector<ComparisonRow>& rows, const Names& names, NoiseFloor there,
              NoiseFloor back, std::uint64_t seed) {
  rows.push_back(row_of(names.first, names.second, std::move(there), seed));
  rows.push_back(row_of(names.second, names.first, std::move(back), seed));
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

Timings other_session(const std::string& path, const NoiseFloorRequest& request) {
  const profile::Profile profile(path, profile::OpenMode::kRead);
  const std::string system = system_beside(profile, request.system, std::nullopt, "--system").name;
  return surrogate::complete(
      profile::load_timings(profile, system, request.collective, request.load));
}

}  // namespace

bool SessionPair::mixes_simulated() const {
  return is_simulated(here_system) != is_simulated(there_system);
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

profile::SystemInfo system_beside(const profile::Profile& other, const std::string& here,
                                  const std::optional<std::string>& wanted,
                                  std::string_view option) {
  if (wanted) return other.require_system(wanted);
  const std::vector<profile::SystemInfo> systems = other.systems();
  const auto same = std::ranges::find(systems, here, &profile::SystemInfo::name);
  if (same != systems.end()) return *same;
  return other.require_system(std::nullopt, option);
}

std::string session_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

void NoiseFloor::add(const NoiseFloor& other) {
  common_methods =
      judged == 0 ? other.common_methods : std::min(common_methods, other.common_methods);
  other_methods = std::max(other_methods, other.other_methods);
  points.add(other.points);
  same_best += other.same_best;
  judged += other.judged;
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

std::string no_noise_floor(const std::vector<Timings>& loaded, Collective collective,
                           std::string_view option) {
  const bool copied = std::ranges::any_of(loaded, [&](const Timings& one) {
    return one.collective == collective && one.has_copied_samples;
  });
  return fmt::format(
      "no noise floor: {}, and no two campaigns have an instance and a method in common; measure "
      "again, or name another session with {}",
      copied ? "the repetitions are equal to the last digit, so they are copies of one sample"
             : "at every instance some method has a single sample",
      option);
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
    const Timings there = other_session(path, request);
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

}  // namespace colltree::evaluate
