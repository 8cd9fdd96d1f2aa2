// SPDX-License-Identifier: BSD-3-Clause
#include "report/axis.h"

#include <gmock/gmock.h>

namespace colltree::report {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> labels(const Axis& axis) {
  std::vector<std::string> result;
  for (const Tick& tick : axis.ticks) {
    if (!tick.label.empty()) result.push_back(tick.label);
  }
  return result;
}

TEST(Axis, MessageSizesInStepsThatFit) {
  EXPECT_THAT(labels(message_size_axis(1, 393216, 270)),
              ElementsAre("1", "8", "64", "512", "4K", "32K", "256K"));
  EXPECT_THAT(labels(message_size_axis(4, 2 << 20, 900)),
              ElementsAre("4", "8", "16", "32", "64", "128", "256", "512", "1K", "2K", "4K", "8K",
                          "16K", "32K", "64K", "128K", "256K", "512K", "1M", "2M"));
  const Axis with_empty = message_size_axis(message_place(0), 4096, 200, true);
  EXPECT_THAT(labels(with_empty), ElementsAre("0", "8", "64", "512", "4K"));
  EXPECT_EQ(with_empty.place(0.5), 0);
  EXPECT_EQ(with_empty.place(4096), 1);
  EXPECT_NEAR(with_empty.place(1), 1.0 / 13, 1e-12);
}

TEST(Axis, CountsAreLinearOrInPowersOfTwo) {
  const std::vector<std::uint64_t> every = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  const Axis linear = count_axis("n", every, 100);
  EXPECT_EQ(linear.scale, Scale::kLinear);
  EXPECT_THAT(labels(linear), ElementsAre("4", "8", "12", "16"));
  const std::vector<std::uint64_t> doubled = {2, 4, 8, 16, 32, 48, 64};
  const Axis log2 = count_axis("n", doubled, 200);
  EXPECT_EQ(log2.scale, Scale::kLog2);
  EXPECT_THAT(labels(log2), ElementsAre("2", "4", "8", "16", "32", "64"));
  const std::vector<std::uint64_t> one = {7};
  EXPECT_EQ(count_axis("n", one, 100).place(7), 0.5);
}

TEST(Axis, TimesHaveUnits) {
  EXPECT_THAT(
      labels(time_axis(0.2, 3e6, 300)),
      ElementsAre("1 \u00b5s", "10 \u00b5s", "100 \u00b5s", "1 ms", "10 ms", "100 ms", "1 s"));
  EXPECT_THAT(labels(time_axis(90, 600, 300)),
              ElementsAre("100 \u00b5s", "200 \u00b5s", "500 \u00b5s"));
}

TEST(Axis, LinearEndsAtARoundNumber) {
  EXPECT_THAT(labels(linear_axis("x", 5.4, 200)), ElementsAre("0", "2", "4", "6"));
  EXPECT_THAT(labels(linear_axis("x", 0, 100)).front(), "0");
}

TEST(Axis, PenaltiesByDecadeWithZeroAtTheFloor) {
  const std::vector<double> with_zero = {0, 0.02, 0.5};
  const Axis axis = log_penalty_axis("p", with_zero);
  EXPECT_THAT(labels(axis), ElementsAre("0", "1 %", "10 %", "100 %"));
  EXPECT_EQ(axis.place(0), 0);
  const std::vector<double> without = {0.02, 0.5};
  EXPECT_THAT(labels(log_penalty_axis("p", without)), ElementsAre("1 %", "10 %", "100 %"));
  const std::vector<double> tiny = {1e-9, 0.02};
  EXPECT_THAT(labels(log_penalty_axis("p", tiny)), ElementsAre("0", "0.1 %", "1 %", "10 %"));
}

}  // namespace
}  // namespace colltree::report
