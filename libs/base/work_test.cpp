// SPDX-License-Identifier: BSD-3-Clause
#include "base/work.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace colltree {

namespace {

TEST(InParallel, DoesEachPieceOnce) {
  for (const std::size_t most : {1, 2, 100}) {
    std::vector<std::atomic<int>> done(57);
    in_parallel(done.size(), most, [&](std::size_t i) { ++done[i]; });
    for (const auto& times : done) EXPECT_EQ(times, 1);
  }
  in_parallel(0, 4, [](std::size_t) { FAIL(); });
}

TEST(InParallel, ThrowsTheFirstFailureWhenAllIsDone) {
  std::atomic<int> done = 0;
  try {
    in_parallel(20, 4, [&](std::size_t i) {
      ++done;
      if (i % 7 == 3) throw std::runtime_error(std::to_string(i));
    });
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "3");
  }
  EXPECT_EQ(done, 20);
}

TEST(InParallel, APieceDoesItsOwnPiecesAlone) {
  std::atomic<int> done = 0;
  in_parallel(8, 8, [&](std::size_t) {
    const auto here = std::this_thread::get_id();
    in_parallel(50, 50, [&](std::size_t) {
      EXPECT_EQ(std::this_thread::get_id(), here);
      ++done;
    });
  });
  EXPECT_EQ(done, 400);
  // And once it is done there are several again: two that wait for each other.
  if (std::thread::hardware_concurrency() < 2) return;
  std::barrier both(2);
  in_parallel(2, 2, [&](std::size_t) { both.arrive_and_wait(); });
}

TEST(Progress, NeverMoreThanAllOfIt) {
  std::FILE* out = std::tmpfile();
  ASSERT_NE(out, nullptr);
  Progress progress("measuring", 9, "cells", out);
  progress.set_total(1);
  progress.advance(3);
  std::rewind(out);
  char line[200] = "";
  ASSERT_NE(std::fgets(line, sizeof line, out), nullptr);
  EXPECT_TRUE(std::string_view(line).starts_with("measuring: 3/3 cells (100 %)")) << line;
  progress.finish();
  std::fclose(out);
}

TEST(Progress, LineShowsDoneRateAndTimeLeft) {
  EXPECT_EQ(progress_line("Grig", {0, 0}, 100, "cells"), "Grig: 0/100 cells (0 %)");
  EXPECT_EQ(progress_line("Grig", {50, 4}, 100, "cells"),
            "Grig: 50/100 cells (50 %), 12 cells/s, 4 s left");
  EXPECT_EQ(progress_line("Grig", {100, 4}, 100, "cells"),
            "Grig: 100/100 cells (100 %), 25 cells/s, 4 s");
  EXPECT_EQ(progress_line("Grig", {0, 1}, 0, "cells"), "Grig: 0/0 cells (100 %)");
}

TEST(Progress, TimeLeftIsNotSaidBeforeItIsKnown) {
  EXPECT_EQ(progress_line("Grig", {1, 1.1}, 6500, "cells"),
            "Grig: 1/6500 cells (0 %), 0.9 cells/s");
  EXPECT_EQ(progress_line("Grig", {100, 2.9}, 200, "cells"),
            "Grig: 100/200 cells (50 %), 34 cells/s");
  EXPECT_EQ(progress_line("Grig", {19, 500}, 1000, "cells"),
            "Grig: 19/1000 cells (2 %), 0.0 cells/s");
  EXPECT_EQ(progress_line("Grig", {20, 500}, 1000, "cells"),
            "Grig: 20/1000 cells (2 %), 0.0 cells/s, 6.8 h left");
  // The start of the job, here 10 s, comes once.
  EXPECT_EQ(progress_line("Grig", {26, 15}, 1026, "cells", {1, 10}),
            "Grig: 26/1026 cells (3 %), 1.7 cells/s, 3 min left");
  EXPECT_EQ(progress_line("Grig", {1, 5}, 10, "cells", {1, 5}),
            "Grig: 1/10 cells (10 %), 0.2 cells/s");
}

}  // namespace

}  // namespace colltree
