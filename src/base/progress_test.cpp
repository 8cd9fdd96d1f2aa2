// SPDX-License-Identifier: BSD-3-Clause
#include "base/progress.h"

#include <gtest/gtest.h>

namespace colltree {
namespace {

TEST(Progress, LineShowsDoneRateAndTimeLeft) {
  EXPECT_EQ(progress_line("Grig", 0, 100, "cells", 0), "Grig: 0/100 cells (0 %)");
  EXPECT_EQ(progress_line("Grig", 50, 100, "cells", 2),
            "Grig: 50/100 cells (50 %), 25 cells/s, 2 s left");
  EXPECT_EQ(progress_line("Grig", 100, 100, "cells", 4),
            "Grig: 100/100 cells (100 %), 25 cells/s, 4 s");
  EXPECT_EQ(progress_line("Grig", 1, 1000, "cells", 10),
            "Grig: 1/1000 cells (0 %), 0.1 cells/s, 2.8 h left");
  EXPECT_EQ(progress_line("Grig", 0, 0, "cells", 1), "Grig: 0/0 cells (100 %)");
}

}  // namespace
}  // namespace colltree
