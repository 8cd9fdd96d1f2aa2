// SPDX-License-Identifier: BSD-3-Clause
// The setting of the job that `tune` deploys beside the rules, and the files by which a site loads
// it.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluate/settings.h"
#include "measure/settings.h"

namespace colltree::deploy {

// A finding, before the name of the setting that wins.
inline constexpr const char* kSlowNetwork =
    "The network in use is not the fastest that this machine has:";

inline constexpr const char* kSettingScript = "setting.sh";  // for a shell

struct SettingChoice {
  evaluate::SettingContest contest;
  measure::Setting setting;  // without a name: the plain job
  // The gain of the library's own choice in jobs in turns after the campaign; none: not asked.
  std::optional<evaluate::Gain> verified = std::nullopt;
  std::string refused = "";  // the setting that this did not show to be faster: the job stays plain

  bool is_plain() const { return setting.name.empty(); }
};

// Compares the settings that the system was measured under, as the profile defines them. `calls`:
// of a program; empty: every instance counts the same.
SettingChoice choose_setting(const profile::Profile& profile, const std::string& system,
                             std::span<const Collective> collectives,
                             std::span<const measure::Setting> settings,
                             std::span<const CallCount> calls);

// The result in a sentence: what is deployed, its gain and what it costs. If another transport
// wins, a sentence before says so.
std::string setting_text(const SettingChoice& choice);

// Writes setting.sh (a shell), setting.tcl (an environment module) and, if all variables are
// parameters of Open MPI, setting.conf (openmpi-mca-params.conf); for the plain job it removes
// them. Returns the names of the files.
std::vector<std::string> write_setting(const std::filesystem::path& folder,
                                       const measure::Setting& setting);

}  // namespace colltree::deploy
