// SPDX-License-Identifier: BSD-3-Clause
#include "base/streams.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>

#include "base/error.h"

namespace colltree {
namespace {

// A pipe without a reader's patience: it is full when the first piece is written, and empty again
// for the last one.
[[noreturn]] void write_to_a_pipe_that_was_full() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_NONBLOCK) != 0) ::_exit(3);
  ::dup2(ends[1], STDOUT_FILENO);
  const std::string more_than_it_holds(1 << 20, 'a');
  std::fwrite(more_than_it_holds.data(), 1, more_than_it_holds.size(), stdout);
  std::array<char, 1 << 16> taken{};
  while (::read(ends[0], taken.data(), taken.size()) > 0) {
  }
  std::fputs("the end\n", stdout);
  try {
    finish_output();
  } catch (const Error& error) {
    say(error.what());
    ::_exit(1);
  }
  ::_exit(0);
}

TEST(FinishOutput, SaysThatAnEarlierPieceIsLost) {
  EXPECT_EXIT(write_to_a_pipe_that_was_full(), ::testing::ExitedWithCode(1),
              "standard output: cannot write: Input/output error");
}

}  // namespace
}  // namespace colltree
