// SPDX-License-Identifier: BSD-3-Clause
// Counts of a profile's content, for `colltree show`.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "profile/profile.h"

namespace colltree {
class Json;
}  // namespace colltree
namespace colltree::profile {

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

// All systems by name, or only the named one.
std::vector<SystemOverview> overview(const Profile& profile,
                                     const std::optional<std::string>& system = {});

std::string overview_text(const SystemOverview& overview);
Json overview_json(const SystemOverview& overview);

// The cells that adaptive campaigns (docs/tasks/tuning.md) wanted and left to be predicted. Such a
// cell is known by its sizes alone, because its placement is only known in the job, unless the
// campaign asked for a placement.
class WantedCells {
 public:
  using Points = std::set<std::pair<Instance, Method>>;

  void see(const Cell& cell);
  // The wanted points without a result: no other cell has a time or the reason why there is none.
  Points left() const;

 private:
  Points wanted_;
  Points settled_;  // each with its placement, and without
};

}  // namespace colltree::profile
