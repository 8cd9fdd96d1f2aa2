// SPDX-License-Identifier: BSD-3-Clause
// Which campaign new timings belong to, and whether they may join the system at all.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>

#include "profile/campaign.h"

namespace colltree {

// As Profile::begin_campaign; inside a transaction. `path` is for messages.
CampaignId find_or_make_campaign(SQLite::Database& database, const std::string& path,
                                 const CampaignInfo& info);

}  // namespace colltree
