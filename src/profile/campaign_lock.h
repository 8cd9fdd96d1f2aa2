// SPDX-License-Identifier: BSD-3-Clause
// That one process measures a campaign: two would measure the same cells, each beside the other's
// load. Other campaigns of the profile are free, and so are readers. A process that ends in any way
// leaves no lock.
#pragma once

#include <filesystem>
#include <string>

#include "base/file.h"
#include "profile/records.h"

namespace colltree {

class CampaignLock {
 public:
  // Throws Error when another process holds it. A file system without locks is used without one.
  // To be destroyed outside any transaction: closing the file ends the process's other locks of it.
  CampaignLock(const std::filesystem::path& profile, CampaignId campaign,
               const std::string& system);

 private:
  Descriptor file_;
};

}  // namespace colltree
