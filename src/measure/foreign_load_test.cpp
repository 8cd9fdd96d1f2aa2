// SPDX-License-Identifier: BSD-3-Clause
#include "measure/foreign_load.h"

#include <gtest/gtest.h>

namespace colltree {
namespace {

TEST(ForeignLoad, TheFirstLineOfProcStat) {
  ProcessorTime time;
  ASSERT_TRUE(parse_processor_line("cpu  100 20 30 400 50 6 7 8 90 91", 100, time));
  EXPECT_DOUBLE_EQ(time.busy_s, 1.71) << "user, nice, system, irq, softirq, steal; not the guests";
  EXPECT_DOUBLE_EQ(time.capacity_s, 6.21);
  EXPECT_FALSE(parse_processor_line("cpu  100 20 30", 100, time));
  EXPECT_FALSE(parse_processor_line("intr 1 2 3 4 5 6 7 8", 100, time));
}

TEST(ForeignLoad, OthersAreWhatWeAreNot) {
  EXPECT_DOUBLE_EQ(foreign_share({.busy_s = 3, .capacity_s = 4, .own_s = 2}), 0.25);
  EXPECT_DOUBLE_EQ(foreign_share({.busy_s = 1, .capacity_s = 4, .own_s = 1.01}), 0) << "ticks";
  EXPECT_DOUBLE_EQ(foreign_share({.busy_s = 0, .capacity_s = 0, .own_s = 1}), 0) << "no /proc";
}

TEST(StretchJudge, RepeatsADisturbedStretchThenMarksIt) {
  StretchJudge judge(0.1);
  EXPECT_FALSE(judge.judge(0.1).again) << "as much as is allowed";
  EXPECT_EQ(judge.judge(0.1).mark, 0);
  EXPECT_TRUE(judge.judge(0.5).again);
  EXPECT_TRUE(judge.judge(0.3).again);
  const StretchJudge::Verdict third = judge.judge(0.2);
  EXPECT_FALSE(third.again);
  EXPECT_EQ(third.mark, 0.2) << "the load of the try that is kept";
  EXPECT_TRUE(judge.judge(0.2).again) << "the next stretch has its own tries";
}

TEST(StretchJudge, AQuietTryEndsIt) {
  StretchJudge judge(0.1);
  EXPECT_TRUE(judge.judge(0.5).again);
  const StretchJudge::Verdict second = judge.judge(0);
  EXPECT_FALSE(second.again);
  EXPECT_EQ(second.mark, 0);
  EXPECT_TRUE(judge.judge(0.5).again);
  EXPECT_TRUE(judge.judge(0.5).again) << "counted anew";
}

}  // namespace
}  // namespace colltree
