// SPDX-License-Identifier: BSD-3-Clause
// What tests of every room share: files that no test running beside can touch, and the text of an
// error.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/not_copied.h"

namespace colltree {

// A folder of this test process, gone with it.
class TestFolder : NotCopied {
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

// A path in the folder of this process where no file is.
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

}  // namespace colltree
