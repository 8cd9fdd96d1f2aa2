// SPDX-License-Identifier: BSD-3-Clause
// The campaign: from what was asked, minus what the profile already holds, to stored samples.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "measure/campaign_request.h"
#include "profile/profile.h"

namespace colltree::measure {

struct CampaignOutcome {
  std::string system;
  std::uint64_t wanted = 0;         // cells of the request
  std::uint64_t already = 0;        // of them in the profile before
  std::uint64_t measured = 0;       // now
  std::uint64_t disturbed = 0;      // of them: while others used the machine
  std::uint64_t failed = 0;         // now
  std::uint64_t failed_before = 0;  // of those already there
  // For an adaptive campaign: the cells that were predicted, and the mean penalty (a fraction)
  // expected of the method that is best as far as is known.
  std::uint64_t predicted = 0;
  std::optional<double> expected_penalty;
  double job_s = 0;                  // what a job took to start and to end
  std::string stopped = "";          // why it ended before its budget; "": it did not
  std::uint64_t not_applicable = 0;  // now: the library runs another method there, or refuses
};

// "5 cells measured, 0 there before, 1 failed", and what else there is to say.
std::string outcome_text(const CampaignOutcome& outcome);

// Measures and stores as it goes. A signal, a full disk or a job that cannot run ends it with an
// Error; what was stored stays, and the same call continues.
CampaignOutcome run_campaign(const CampaignRequest& request, const Driver& driver,
                             profile::Profile& profile);

// Two campaigns of one machine whose cells take turns in one job, instance by instance, so that
// what changes between jobs cannot be taken for a difference of sources. Each remains a separate
// campaign of a separate system, and either can continue alone.
struct CampaignPart {
  const CampaignRequest& request;
  const Driver& driver;
};
struct BothOutcomes {
  CampaignOutcome library;
  CampaignOutcome portable;
};
// `library` measures its own algorithms and starts the jobs. No budget: every cell is measured.
BothOutcomes run_campaigns(const CampaignPart& library, const CampaignPart& portable,
                           profile::Profile& profile);

}  // namespace colltree::measure
