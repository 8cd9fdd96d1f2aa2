// SPDX-License-Identifier: BSD-3-Clause
// Helpers that tests around profiles share.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "base/input.h"
#include "base/test_scratch.h"
#include "profile/import.h"

namespace colltree::profile {

inline CampaignInfo campaign(const std::string& system) {
  return {.system = {system, kProvenanceSimulated, "smpi-3.32", "aa", ""},
          .source = "portable",
          .host = "node01",
          .platform_file = "platforms/grig.xml",
          .options = R"({"root":0})"};
}

inline ImportReport import_csv(Profile& into, std::string_view text, const std::string& file,
                               ImportOptions options = {}) {
  options.results.format = "csv";
  const auto lines = [&](const std::function<void(std::string_view)>& take) {
    LineSplitter splitter(file, take);
    splitter.add(text);
    splitter.end();
  };
  return import_file(into, lines, file, options);
}

inline Cell cell(std::uint64_t communicator_size, std::uint64_t bytes, Method method,
                 const std::vector<double>& times_us) {
  Cell made{.key = {{Collective::kBcast, communicator_size, bytes}, bytes, 1, std::move(method)}};
  for (const double time_us : times_us) {
    made.samples.push_back({static_cast<std::int64_t>(made.samples.size()), time_us});
  }
  return made;
}

inline Cell failed_cell(std::uint64_t communicator_size, std::uint64_t bytes, Method method,
                        const std::string& reason) {
  Cell made = cell(communicator_size, bytes, std::move(method), {});
  made.status = CellStatus::kFailed;
  made.reason = reason;
  return made;
}

}  // namespace colltree::profile
