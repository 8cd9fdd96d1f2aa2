// SPDX-License-Identifier: BSD-3-Clause
// Settings of a job: variables of its environment under which a campaign measures every method once
// more. A setting is a row of data, a name and its variables; methods timed under it bear its name
// (coll/method.h: setting_of), and the profile holds its definition.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"

namespace colltree::measure {

class JobStarter;

inline constexpr const char* kInstalledSettings = "installed";  // what installed_settings finds
inline constexpr const char* kPlainSetting = "plain";  // the job as its environment is; for people

struct Setting {
  std::string name;                    // "tcp"
  std::vector<std::string> variables;  // "OMPI_MCA_btl=tcp,self"

  bool operator==(const Setting&) const = default;
};

// "tcp: OMPI_MCA_btl=tcp,self OMPI_MCA_pml=ob1", quoted as in a shell. `place` begins the message
// of a UsageError.
Setting parse_setting(std::string_view text, std::string_view place);

// Each text is a definition or the name of a file with one in each line ('#' begins a comment).
// Throws UsageError.
std::vector<Setting> read_settings(std::span<const std::string> texts);

// True if a component that the setting raises carries out the collectives itself: the algorithms
// that a library lets one choose do not run then, so only its own choice is measured.
bool decides_alone(const Setting& setting);
// True if it chooses how messages travel, and not who carries out collectives.
bool is_transport(const Setting& setting);

// The settings that this installed library and machine offer (installed_settings.def): by the
// library's control variables in a job of one rank, and by what ucx_info and fi_info print where
// they are installed. Throws Error.
std::vector<Setting> installed_settings(const JobStarter& starter);

// Reads them as read_settings does, or takes those of kInstalledSettings.
std::vector<Setting> find_settings(const JobStarter& starter, std::span<const std::string> texts);

// The definitions are campaigns without cells. Throws Error when a name stands for other variables
// in the profile.
void store_settings(profile::Profile& profile, const profile::CampaignInfo& campaign,
                    std::span<const Setting> settings);
std::vector<Setting> stored_settings(const profile::Profile& profile, const std::string& system);

}  // namespace colltree::measure
