// SPDX-License-Identifier: BSD-3-Clause
// `--source portable,openmpi`: our algorithms and the library's own in one job (campaign_run.h).
#pragma once

#include <memory>

#include "cli/measure_options.h"

namespace colltree {

class BothSources {
 public:
  // Throws UsageError, Error.
  explicit BothSources(const MeasureOptions& options);

  // Throws Error for what cannot be measured, before there is a profile.
  void check() const;
  BothOutcomes measure(Profile& profile) const;

  const CampaignRequest& library() const { return library_; }
  const CampaignRequest& portable() const { return portable_; }
  const Driver& library_driver() const { return *library_driver_; }
  const Driver& portable_driver() const { return *portable_driver_; }

 private:
  CampaignRequest library_;
  CampaignRequest portable_;
  std::unique_ptr<Driver> library_driver_;
  std::unique_ptr<Driver> portable_driver_;
};

}  // namespace colltree
