// SPDX-License-Identifier: BSD-3-Clause
// The request of a campaign, and the cells that it asks for.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coll/library_methods.h"
#include "measure/driver.h"
#include "measure/grid.h"

namespace colltree::measure {

// How much an adaptive campaign may measure, and when it knows enough.
struct Budget {
  std::optional<double> seconds;       // of the campaign, from its start
  std::optional<double> share;         // of the cost of all cells, a fraction
  std::optional<std::uint64_t> cells;  // all that the profile holds of the campaign counted
  std::optional<double> until;         // expected penalty of the best known, a fraction
  bool by_calls = false;  // a program's calls decide (--mix), so that one instance may outweigh all

  // True for an adaptive campaign; any other measures every cell.
  bool adaptive() const { return seconds || share || cells || until; }
};

// "90s", "30m", "2h", "5%", "2000cells"; "" = none. Throws UsageError.
Budget parse_budget(std::string_view text);
// "0.5%"; "" = none. Throws UsageError.
std::optional<double> parse_until(std::string_view text);

struct CampaignRequest {
  std::vector<Collective> collectives;
  Grid grid;
  // Placements of each communicator size: ranks per node; kAllRanksOfNode for every rank of a node.
  // None: communicators are the first ranks of the job, wherever they lie.
  std::vector<std::uint64_t> ranks_per_node;
  std::optional<Library> library;  // whose own algorithms are measured; none = portable ones
  std::string methods =
      "";  // as parse_methods reads it; "" = every method of the source and the default
  std::vector<std::uint64_t> segment_sizes;
  ParameterValues parameters;  // of the algorithms
  protocol::StopRule stop;
  double at_once = 0;  // Plan::at_once
  Budget budget;       // none: every cell is measured
  // A budget of time counts from here, so the questions to the library are a part of it.
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
  std::optional<std::string> system;  // name; none = the driver's
  double silence_limit_s = 120;       // a job that reports nothing for so long is stopped
  bool retry_failed = false;          // measure again what failed before
  bool retry_disturbed = false;       // measure disturbed cells again
};

// Every cell of the request: each method that is different at each instance, also those that run
// only if all ranks are on one node. Throws Error when empty.
std::vector<protocol::PlanCell> plan_cells(const CampaignRequest& request);

// The cells whose methods the installed library has and which the job's nodes allow, with each
// placement that the job has room for. Throws Error when a method was asked for by name that it has
// not, or nothing is left.
std::vector<protocol::PlanCell> plan_cells(const CampaignRequest& request, const Driver& driver);

// Takes the cells out that run only if all ranks are on one node. Throws Error when nothing is
// left.
void erase_of_one_node(std::vector<protocol::PlanCell>& cells);

}  // namespace colltree::measure
