// SPDX-License-Identifier: BSD-3-Clause
// How what a job reports comes into a profile.
#pragma once

#include "measure/report_line.h"
#include "profile/profile.h"

namespace colltree {

Cell stored_cell(const CellMeasured& measured);
Cell stored_cell(const CellFailed& failed);

// Methods of different sources may have the same name. Throws Error when the campaign's system
// holds timings of another source.
void refuse_mixed_sources(const Profile& profile, const CampaignInfo& campaign);

// Nobody named the campaign's system, and it is called as the host. Throws Error when the profile
// holds the same measurement of another host and nothing of this one: a batch job's host, or one
// that was renamed, would measure all of it again.
void refuse_renamed_host(const Profile& profile, const CampaignInfo& campaign);

}  // namespace colltree
