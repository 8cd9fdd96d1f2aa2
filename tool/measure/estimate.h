// SPDX-License-Identifier: BSD-3-Clause
// The expected cost of a campaign before it begins: the number of cells, about how long, and what a
// budget buys of that.
#pragma once

#include <string>

#include "measure/campaign_request.h"

namespace colltree::measure {

struct CampaignEstimate {
  std::size_t cells = 0;
  double seconds = 0;       // of all of them; of times that nobody knows yet a guess
  double most_seconds = 0;  // by the time limit of a cell; 0: there is none
  // For an adaptive campaign: the cells that show how each method behaves, before any is chosen.
  std::size_t first_cells = 0;
  double first_seconds = 0;
  Budget budget;
};

// Starts no job but the one that says where its ranks lie. Throws Error as plan_cells.
CampaignEstimate estimate(const CampaignRequest& request, const Driver& driver);

// "2142 cells, about 2 min of measuring (at most 36 min)", and with a budget what it buys.
std::string estimate_text(const CampaignEstimate& estimate);
// "12 s", "4 min", "1.5 h"
std::string about_text(double seconds);

}  // namespace colltree::measure
