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

}  // namespace colltree
