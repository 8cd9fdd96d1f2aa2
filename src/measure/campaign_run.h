// SPDX-License-Identifier: BSD-3-Clause
// The campaign: from what was asked, minus what the profile already holds, to stored samples.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "coll/library_methods.h"
#include "measure/budget.h"
#include "measure/driver.h"
#include "measure/grid.h"
#include "profile/profile.h"

namespace colltree {

struct CampaignRequest {
  std::vector<Collective> collectives;
  Grid grid;
  std::optional<Library> library;  // whose own algorithms are measured; none = portable ones
  std::string methods =
      "";  // as parse_methods reads it; "" = every method of the source and the default
  std::vector<std::uint64_t> segment_sizes;
  ParameterValues parameters;  // of the algorithms
  StopRule stop;
  Budget budget;                      // none: every cell is measured
  std::optional<std::string> system;  // name; none = the driver's
  double silence_limit_s = 120;       // a job that reports nothing for so long is stopped
  bool retry_failed = false;          // measure again what failed before
  bool retry_disturbed = false;  // measure again what was measured while others used the machine
};

struct CampaignOutcome {
  std::string system;
  std::uint64_t wanted = 0;     // cells of the request
  std::uint64_t already = 0;    // of them in the profile before
  std::uint64_t measured = 0;   // now
  std::uint64_t disturbed = 0;  // of them: while others used the machine
  std::uint64_t failed = 0;     // now
  // Of an adaptive campaign: cells that were left out, and what the best method as far as is known
  // is expected to lose (mean penalty, a fraction).
  std::uint64_t predicted = 0;
  std::optional<double> expected_penalty;
  std::uint64_t not_applicable = 0;  // now: the library runs another method there, or refuses
};

// "5 cells measured, 0 there before, 1 failed", and what else there is to say.
std::string outcome_text(const CampaignOutcome& outcome);

// Every cell of the request: each method that is different at each instance. Throws Error when
// empty.
std::vector<PlanCell> plan_cells(const CampaignRequest& request);

// Those of them whose methods the installed library has. Throws Error when one was asked for by
// name that it has not, or nothing is left.
std::vector<PlanCell> plan_cells(const CampaignRequest& request, const Driver& driver);

// Measures and stores as it goes. A signal, a full disk or a job that cannot run ends it with an
// Error; what was stored stays, and the same call continues.
CampaignOutcome run_campaign(const CampaignRequest& request, const Driver& driver,
                             Profile& profile);

}  // namespace colltree
