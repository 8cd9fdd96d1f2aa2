// SPDX-License-Identifier: BSD-3-Clause
#include "cli/source_gains.h"

#include <algorithm>

namespace colltree {

void take_portable_of_pair(ProfileOptions& options) {
  if (options.system) return;
  const Profile profile(options.profile, OpenMode::kRead);
  if (const auto pair = find_source_pair(profile, std::nullopt))
    options.system = pair->portable.name;
}

std::optional<SourceGains> load_source_gains(const ProfileOptions& options,
                                             const std::string& system) {
  const Profile profile(options.profile, OpenMode::kRead);
  const auto pair = find_source_pair(profile, system);
  if (!pair) return std::nullopt;
  const LoadOptions load = load_options(options);
  std::vector<Collective> wanted = profile.collectives(pair->portable.name);
  if (!options.collectives.empty()) wanted = parse_collectives(options.collectives);
  SourceGains gains{*pair, {}};
  for (const Collective collective : wanted) {
    const auto ours = find_timings(profile, pair->portable.name, collective, load);
    const auto own = find_timings(profile, pair->library.name, collective, load);
    if (!ours || !own) continue;
    if (auto gain = source_gain(*ours, *own)) gains.collectives.push_back(std::move(*gain));
  }
  if (gains.collectives.empty()) return std::nullopt;
  return gains;
}

}  // namespace colltree
