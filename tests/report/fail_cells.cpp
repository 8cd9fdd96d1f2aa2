// SPDX-License-Identifier: BSD-3-Clause
// fail_cells PROFILE METHOD RANKS REASON: the cells of that method on so many ranks failed, as if
// they had been recorded so; REASON wanted: were left out by an adaptive campaign. (Edited by
// another program a profile would count as damaged.)
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "profile/profile.h"

namespace {

using namespace colltree;

void fail_cells(const std::string& path, const std::string& method, const std::string& ranks,
                const std::string& reason) {
  Profile profile(path, OpenMode::kWrite);
  for (const StoredCampaign& campaign : profile.campaigns()) {
    std::vector<Cell> failed;
    std::vector<CellKey> keys;
    for (Cell cell : profile.cells(campaign.id)) {
      if (cell.key.method.label() != method ||
          std::to_string(cell.key.instance.communicator_size) != ranks)
        continue;
      cell.samples.clear();
      cell.status = reason == "wanted" ? CellStatus::kWanted : CellStatus::kFailed;
      cell.reason = reason == "wanted" ? "" : reason;
      keys.push_back(cell.key);
      failed.push_back(std::move(cell));
    }
    profile.forget(campaign.id, keys);
    profile.record(campaign.id, failed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  try {
    fail_cells(argv[1], argv[2], argv[3], argv[4]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fail_cells: %s\n", error.what());
    return 1;
  }
}
