// SPDX-License-Identifier: BSD-3-Clause
// What campaigns by choice (docs/campaign.md) wanted to know and left to be predicted. Such a cell
// is known by its sizes only: where its ranks lie turns out in the job.
#pragma once

#include <set>
#include <utility>

#include "profile/records.h"

namespace colltree {

class WantedCells {
 public:
  using Points = std::set<std::pair<Instance, Method>>;  // without placement

  void see(const Cell& cell);
  // Wanted, and no other cell says what came of it: neither a time nor why there is none.
  Points left() const;

 private:
  Points wanted_;
  Points settled_;
};

}  // namespace colltree
