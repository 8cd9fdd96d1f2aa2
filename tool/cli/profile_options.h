// SPDX-License-Identifier: BSD-3-Clause
// The options of the commands that read timings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/options.h"
#include "profile/load_timings.h"

namespace colltree::evaluate {
struct SourceGains;  // evaluate/runs.h
}  // namespace colltree::evaluate
namespace colltree::cli {

struct ProfileOptions {
  std::string profile;
  std::optional<std::string> system;
  std::string collectives;           // comma list; "" = all that the system has
  std::uint64_t ranks_per_node = 0;  // only this placement; 0 = all
  std::string setting;               // of the job; "": the plain job
  std::string time = "median";
  bool external = false;
  bool without_default = false;
  bool reproducible = false;
  bool json = false;
};

// Declares --ranks-per-node, --setting, --time, --external and --without-default.
void add_sample_options(CLI::App& app, ProfileOptions& options);
// Declares --reproducible.
void add_reproducible_option(CLI::App& app, bool& reproducible);
// Declares --system, --collective and these.
void add_timing_options(CLI::App& app, ProfileOptions& options,
                        const std::string& default_collectives = "all that were measured");
// Declares the profile, these and --json.
void add_profile_options(CLI::App& app, ProfileOptions& options);

profile::LoadOptions load_options(const ProfileOptions& options);

struct SystemTimings {
  profile::SystemInfo system;
  std::vector<Timings> timings;  // one for each collective
};

// in_one_order (timings/timings.h) needs portable methods. Throws Error for other ones.
void require_portable(const profile::Profile& profile, const std::string& system);

// Collectives that hold nothing to choose from are left out unless they were asked for. Throws
// Error.
SystemTimings load_system_timings(const ProfileOptions& options);
// From `options.profile`, which is open: opening one checks it whole.
SystemTimings load_system_timings(const profile::Profile& profile, const ProfileOptions& options);

// If no system is named and the profile holds only the two sources of one machine, the portable one
// is taken.
void take_portable_of_pair(const profile::Profile& profile, ProfileOptions& options);

// The gains of the system beside its pair, at the instances of both; nothing without a pair.
std::optional<evaluate::SourceGains> load_source_gains(const profile::Profile& profile,
                                                       const ProfileOptions& options,
                                                       const std::string& system);

}  // namespace colltree::cli
