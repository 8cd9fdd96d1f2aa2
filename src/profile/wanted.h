// SPDX-License-Identifier: BSD-3-Clause
// What campaigns by choice (docs/campaign.md) wanted to know and left to be predicted. Such a cell
// is known by its sizes only, because where its ranks lie turns out in the job, unless the campaign
// asked for a placement.
#pragma once

#include <set>
#include <utility>

#include "profile/records.h"

namespace colltree {

class WantedCells {
 public:
  using Points = std::set<std::pair<Instance, Method>>;

  void see(const Cell& cell);
  // Wanted, and no other cell says what came of it: neither a time nor why there is none.
  Points left() const;

 private:
  Points wanted_;
  Points settled_;  // each with its placement, and without
};

}  // namespace colltree
