// SPDX-License-Identifier: BSD-3-Clause
#include "cli/profile_options.h"

#include <fmt/core.h>

#include <map>

#include "base/error.h"
#include "cli/command.h"
#include "evaluate/runs.h"
#include "surrogate/complete.h"
#include "timings/timings.h"

namespace colltree::cli {

namespace {

const std::map<std::string, profile::Summary> kSummaries = {
    {"mean", profile::Summary::kMean},
    {"median", profile::Summary::kMedian},
    {"minimum", profile::Summary::kMinimum}};

}  // namespace

void add_sample_options(CLI::App& app, ProfileOptions& options) {
  app.add_option("--ranks-per-node", options.ranks_per_node,
                 "take only timings with this many ranks on each node (default: all placements)")
      ->transform(whole_number(limits::kAskedRanks));
  app.add_option("--setting", options.setting,
                 "take only timings under this setting of the job (default: the plain job)");
  app.add_option("--time", options.time, "how the samples of a cell become its time")
      ->check(CLI::IsMember({"mean", "median", "minimum"}))
      ->capture_default_str();
  app.add_flag("--external", options.external,
               "take also the methods 'ext:*', which are not in the MPI library");
  app.add_flag("--without-default", options.without_default,
               "do not count the library's own choice among the methods");
}

void add_reproducible_option(CLI::App& app, bool& reproducible) {
  app.add_flag("--reproducible", reproducible,
               "take only methods whose sums have the same bits however a message is cut and "
               "ranks are placed");
}

void add_timing_options(CLI::App& app, ProfileOptions& options,
                        const std::string& default_collectives) {
  app.add_option("--collective", options.collectives,
                 "collectives, comma-separated (default: " + default_collectives + ")");
  app.option_defaults()->group("Which timings");
  app.add_option("--system", options.system, "the system, if the profile holds several");
  add_sample_options(app, options);
  app.option_defaults()->group("Options");
}

void add_profile_options(CLI::App& app, ProfileOptions& options) {
  app.add_option("profile", options.profile, "the profile (P.db)")->required();
  app.add_flag("--json", options.json, "print the results as JSON");
  add_timing_options(app, options);
}

profile::LoadOptions load_options(const ProfileOptions& options) {
  return {.summary = kSummaries.at(options.time),
          .external = options.external,
          .default_candidate = !options.without_default,
          .ranks_per_node = options.ranks_per_node,
          .setting = options.setting};
}

void require_portable(const profile::Profile& profile, const std::string& system) {
  for (const profile::StoredCampaign& campaign : profile.campaigns()) {
    if (campaign.info.system.name != system || campaign.info.source == "portable") continue;
    throw Error(
        fmt::format("{}: the order of sums of '{}' methods of {} is not known; it is known for "
                    "colltree's own (measure --source portable)",
                    profile.path().string(), campaign.info.source, system));
  }
}

namespace {

SystemTimings load_all_methods(const profile::Profile& profile, const ProfileOptions& options) {
  SystemTimings loaded{profile.require_system(options.system), {}};
  const profile::LoadOptions load = load_options(options);
  if (!options.collectives.empty()) {
    for (const Collective collective : parse_collectives(options.collectives)) {
      loaded.timings.push_back(surrogate::complete(
          profile::load_timings(profile, loaded.system.name, collective, load)));
    }
    return loaded;
  }
  for (const Collective collective : profile.collectives(loaded.system.name)) {
    auto timings =
        surrogate::complete(profile::find_timings(profile, loaded.system.name, collective, load));
    if (timings) loaded.timings.push_back(std::move(*timings));
  }
  if (loaded.timings.empty()) {
    const auto there = profile.collectives(loaded.system.name);
    if (!there.empty()) profile::load_timings(profile, loaded.system.name, there.front(), load);
    throw Error(fmt::format("{}: has no timings to choose from on {}", options.profile,
                            loaded.system.name));
  }
  return loaded;
}

}  // namespace

SystemTimings load_system_timings(const ProfileOptions& options) {
  return load_system_timings(profile::Profile(options.profile, profile::OpenMode::kRead), options);
}

SystemTimings load_system_timings(const profile::Profile& profile, const ProfileOptions& options) {
  SystemTimings loaded = load_all_methods(profile, options);
  if (!options.reproducible) return loaded;
  require_portable(profile, loaded.system.name);
  for (Timings& timings : loaded.timings) timings = in_one_order(timings);
  return loaded;
}

void take_portable_of_pair(const profile::Profile& profile, ProfileOptions& options) {
  if (options.system) return;
  if (const auto pair = evaluate::find_source_pair(profile, std::nullopt))
    options.system = pair->portable.name;
}

std::optional<evaluate::SourceGains> load_source_gains(const profile::Profile& profile,
                                                       const ProfileOptions& options,
                                                       const std::string& system) {
  const auto pair = evaluate::find_source_pair(profile, system);
  if (!pair) return std::nullopt;
  const profile::LoadOptions load = load_options(options);
  std::vector<Collective> wanted = profile.collectives(pair->portable.name);
  if (!options.collectives.empty()) wanted = parse_collectives(options.collectives);
  evaluate::SourceGains gains{*pair, {}};
  for (const Collective collective : wanted) {
    const auto portable_timings =
        surrogate::complete(profile::find_timings(profile, pair->portable.name, collective, load));
    const auto library_timings =
        surrogate::complete(profile::find_timings(profile, pair->library.name, collective, load));
    if (!portable_timings || !library_timings) continue;
    if (auto gain = evaluate::source_gain(*portable_timings, *library_timings))
      gains.collectives.push_back(std::move(*gain));
  }
  if (gains.collectives.empty()) return std::nullopt;
  return gains;
}

}  // namespace colltree::cli
