// SPDX-License-Identifier: BSD-3-Clause
#include "profile/wanted.h"

#include <algorithm>
#include <iterator>

namespace colltree {

void WantedCells::see(const Cell& cell) {
  Instance instance = cell.key.instance;
  if (cell.status == CellStatus::kWanted) {
    wanted_.emplace(instance, cell.key.method);
    return;
  }
  settled_.emplace(instance, cell.key.method);
  instance.nodes = instance.ranks_per_node = 0;
  settled_.emplace(instance, cell.key.method);
}

WantedCells::Points WantedCells::left() const {
  Points left;
  std::ranges::set_difference(wanted_, settled_, std::inserter(left, left.end()));
  return left;
}

}  // namespace colltree
