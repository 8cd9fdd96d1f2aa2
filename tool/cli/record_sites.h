// SPDX-License-Identifier: BSD-3-Clause
// Waiting and working in a recorded job: the line that says how much of its run is either, and a
// table by call site.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "timings/recorded_cost.h"

namespace colltree::cli {

// "31 % of the run is in collectives: 27 % waiting for late ranks (...), 4.0 % working, ..."
std::string waiting_line(const CallRecord& record, const std::vector<SiteCost>& sites,
                         bool profiled);

// The most expensive sites, a row each.
std::string sites_text(const std::vector<SiteCost>& sites, bool profiled);

// Each site in words: "solve at cg.c:88" by addr2line, if it is installed and the program has debug
// information; else what the record says.
std::vector<std::string> places_of(const std::vector<SiteCost>& sites);

// Adds waiting_share, sampled_share, late and sites.
void add_waiting(const CallRecord& record, const std::vector<SiteCost>& sites, Json& json);

}  // namespace colltree::cli
