// SPDX-License-Identifier: BSD-3-Clause
// What tests around profiles share.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "profile/profile.h"

namespace colltree {

// A folder of this test process, gone with it.
class TestFolder {
 public:
  TestFolder()
      : path_(std::filesystem::path(::testing::TempDir()) /
              ("colltree_test_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::filesystem::path fresh_path(const std::string& file_name) {
  static const TestFolder folder;
  const auto path = folder.path() / file_name;
  std::filesystem::remove(path);
  std::filesystem::remove(path.string() + "-journal");
  return path;
}

inline std::string error_of(const auto& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

inline CampaignInfo campaign(const std::string& system) {
  return {.system = {system, kProvenanceSimulated, "smpi-3.32", "aa", ""},
          .source = "portable",
          .host = "node01",
          .platform_file = "platforms/grig.xml",
          .options = R"({"root":0})"};
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

}  // namespace colltree
