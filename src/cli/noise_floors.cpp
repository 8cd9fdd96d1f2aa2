// SPDX-License-Identifier: BSD-3-Clause
#include "cli/noise_floors.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "evaluate/noise_floor.h"

namespace colltree {

namespace {

ComparisonRow row_of(const std::string& what, NoiseFloor floor, std::uint64_t seed) {
  const double same = floor.share_same();
  return {.chooser = "noise floor",
          .detail = fmt::format("{}, {:.0f} % same best", what, 100 * same),
          .points = std::move(floor.points),
          .same_best = same,
          .bootstrap = {.seed = seed}};
}

// Pairs of campaigns that have points in common; a campaign that goes on with another grid has
// none.
NoiseFloor between_campaigns(const Profile& profile, const NoiseFloorRequest& request) {
  std::vector<Timings> sessions;
  for (const StoredCampaign& stored : profile.campaigns()) {
    if (stored.info.system.name != request.system) continue;
    LoadOptions load = load_options(request.input);
    load.campaign = stored.id;
    auto timings = find_timings(profile, request.system, request.collective, load);
    if (timings) sessions.push_back(std::move(*timings));
  }
  NoiseFloor floor;
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    for (std::size_t k = i + 1; k < sessions.size(); ++k)
      floor.add(between(sessions[i], sessions[k]));
  }
  return floor;
}

// The system of the same name, else the only one.
Timings other_session(const std::string& path, const NoiseFloorRequest& request) {
  const Profile profile(path, OpenMode::kRead);
  const std::vector<SystemInfo> systems = profile.systems();
  const bool same = std::ranges::count(systems, request.system, &SystemInfo::name) > 0;
  const std::string system = same ? request.system : profile.require_system(std::nullopt).name;
  return load_timings(profile, system, request.collective, load_options(request.input));
}

}  // namespace

std::vector<ComparisonRow> noise_floor_rows(const NoiseFloorRequest& request) {
  const Profile profile(request.input.profile, OpenMode::kRead);
  const LoadOptions load = load_options(request.input);
  std::vector<ComparisonRow> rows;
  const auto halves =
      find_timing_halves(profile, request.system, request.collective, load, request.seed);
  if (halves) {
    rows.push_back(row_of("split halves", between(halves->first, halves->second), request.seed));
  }
  NoiseFloor campaigns = between_campaigns(profile, request);
  if (campaigns.judged > 0) {
    rows.push_back(row_of("between campaigns", std::move(campaigns), request.seed));
  }
  for (const std::string& path : request.sessions) {
    const Timings here = load_timings(profile, request.system, request.collective, load);
    NoiseFloor floor = between(here, other_session(path, request));
    if (floor.judged == 0) {
      throw Error(fmt::format("{}: has no point of {} in common with {}", path,
                              name(request.collective), request.input.profile));
    }
    rows.push_back(
        row_of(std::filesystem::path(path).filename().string(), std::move(floor), request.seed));
  }
  return rows;
}

}  // namespace colltree
