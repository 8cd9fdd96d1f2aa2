// SPDX-License-Identifier: BSD-3-Clause
// What a profile holds, counted: for `colltree show`.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "profile/profile.h"

namespace colltree {

struct CollectiveOverview {
  std::set<Instance> instances;
  std::set<Method> methods;  // without "default"
  bool has_default = false;
  std::set<std::uint64_t> communicator_sizes;
  std::set<std::uint64_t> message_sizes;
  // Communicator sizes with their ranks per node, where these are known.
  std::set<std::pair<std::uint64_t, std::uint64_t>> placements;
  std::map<CellStatus, std::size_t> cells;
  std::size_t samples = 0;
  std::size_t predicted = 0;  // cells that a campaign wanted and did not measure
};

struct SystemOverview {
  SystemInfo system;
  std::vector<StoredCampaign> campaigns;
  std::map<Collective, CollectiveOverview> collectives;
  std::vector<Cell> not_ok;     // failed and cannot_run
  std::vector<Cell> disturbed;  // ok, is_disturbed
};

// By name; of the named system only, when one is named.
std::vector<SystemOverview> overview(const Profile& profile,
                                     const std::optional<std::string>& system = {});

std::string overview_text(const SystemOverview& overview);
Json overview_json(const SystemOverview& overview);

}  // namespace colltree
