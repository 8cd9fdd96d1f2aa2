// SPDX-License-Identifier: BSD-3-Clause
// One campaign as the profile holds it while it is measured: which cells are missing, and where
// those that a job reports go. A job may measure two campaigns (campaign_run.h).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "measure/campaign_run.h"
#include "profile/profile.h"
#include "protocol/report_line.h"

namespace colltree::measure {

profile::Cell stored_cell(const protocol::CellResult& result);

// Methods of different sources may have the same name. Throws Error when the campaign's system
// holds timings of another source.
void refuse_mixed_sources(const profile::Profile& profile, const profile::CampaignInfo& campaign);

// Nobody named the campaign's system, and it is called as the host. Throws Error when the profile
// holds the same measurement of another host and nothing of this host. A batch job's host, or one
// that was renamed, would measure all of it again.
void refuse_renamed_host(const profile::Profile& profile, const profile::CampaignInfo& campaign);

// "portable", "openmpi", "mpich": as a plan and a profile name it.
std::string source_of(const CampaignRequest& request);

class StoredPart {
 public:
  // Begins or continues the campaign and locks it. `beside`: of two in one job the one whose cells
  // are marked as portable. Throws Error.
  StoredPart(const CampaignPart& part, profile::Profile& profile, bool beside);

  const profile::SystemInfo& system() const { return info_.system; }
  profile::CampaignId campaign() const { return campaign_; }
  const CampaignOutcome& outcome() const { return outcome_; }
  CampaignOutcome& outcome() { return outcome_; }

  // The cells that are not there yet. Throws Error.
  std::vector<protocol::PlanCell> missing_cells();
  const std::set<protocol::PlanCell>& wanted() const { return wanted_; }      // after missing_cells
  const std::set<protocol::PlanCell>& finished() const { return finished_; }  // before

  // It has the placement if the campaign asks for placements and the cell has a regular one.
  protocol::PlanCell plan_cell(const profile::CellKey& key) const;

  void keep(const protocol::PlanCell& planned, profile::Cell cell);
  void checkpoint() { stored_up_to_ = pending_.size(); }
  // Stores what lies before the last checkpoint.
  void commit();
  // Drops the cells behind the last checkpoint: they count no more and are to be measured again.
  std::vector<protocol::PlanCell> forget_unstored();

 private:
  profile::CampaignInfo describe() const;
  void refuse_unsaid_placements() const;
  std::uint64_t failed_before() const;
  void forget_disturbed();
  void count(const profile::Cell& cell, int change);
  const CampaignRequest& request_;
  const Driver& driver_;
  profile::Profile& profile_;
  bool beside_;
  profile::CampaignInfo info_;
  profile::CampaignId campaign_ = 0;
  std::optional<profile::CampaignLock> lock_;
  CampaignOutcome outcome_;
  std::set<protocol::PlanCell> wanted_;
  std::set<protocol::PlanCell> finished_;
  std::vector<profile::Cell> pending_;
  std::vector<protocol::PlanCell> planned_;  // of each of these its place in the plan
  std::size_t stored_up_to_ = 0;
};

}  // namespace colltree::measure
