// SPDX-License-Identifier: BSD-3-Clause
// Runs one command line inside the test.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/command.h"

namespace colltree::cli {

struct Outcome {
  int exit_code;
  std::string out;
  std::string err;
};

inline Outcome colltree_run(std::vector<std::string> words) {
  words.insert(words.begin(), "colltree");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const int exit_code = run(static_cast<int>(argv.size()), argv.data());
  return {exit_code, ::testing::internal::GetCapturedStdout(),
          ::testing::internal::GetCapturedStderr()};
}

}  // namespace colltree::cli
