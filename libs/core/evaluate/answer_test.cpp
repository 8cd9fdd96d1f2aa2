// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace colltree::evaluate {
namespace {

// Two methods and the library's own choice at three sizes of each class; the last instance has no
// time of the default.
Timings two_methods() {
  Timings timings{.system = "s", .provenance = "measured", .collective = Collective::kBcast};
  timings.methods = {{"linear", 0}, {"chain", 8192}};
  const auto add = [&](std::uint64_t bytes, double linear_us, double chain_us, double default_us) {
    timings.instances.push_back({Collective::kBcast, 4, bytes});
    timings.time_us.push_back(linear_us);
    timings.time_us.push_back(chain_us);
    timings.default_us.push_back(default_us);
  };
  add(1, 5, 20, 10);
  add(64, 5, 20, 10);
  add(2048, 20, 80, 40);
  add(2049, 30, 30, 30);
  add(1 << 20, 800, 100, 400);
  add(1 << 21, 800, 400, kNoTime);
  return timings;
}

TEST(Answer, HasARowForEachClassOfSizesWithADefault) {
  const std::vector<AnswerRow> rows = answer_of(two_methods(), nullptr);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].most_bytes, 2048U);
  EXPECT_EQ(rows[0].best, "Linear_0K");
  EXPECT_NEAR(rows[0].versus_default, -0.5, 1e-12);
  EXPECT_NEAR(rows[0].default_us, std::cbrt(10 * 10 * 40), 1e-9);
  ASSERT_TRUE(rows[0].interval);
  EXPECT_NEAR(rows[0].interval->low, -0.5, 1e-12);
  EXPECT_EQ(rows[1].versus_default, 0) << "equal times gain nothing";
  EXPECT_EQ(rows[2].best, "Chain_8K");
  EXPECT_EQ(rows[2].most_bytes, 1U << 20) << "where the default was not measured nothing is gained";
  EXPECT_FALSE(rows[2].interval) << "one instance has none";
}

TEST(Answer, JudgesWhatIsChosen) {
  const auto rows = answer_of(two_methods(), [](const Instance& instance) {
    return instance.message_size < 64 ? Method{"chain", 8192} : Method{"linear", 0};
  });
  EXPECT_EQ(rows[0].chosen, "2 methods");
  EXPECT_NEAR(rows[0].versus_default, std::cbrt(2 * 0.5 * 0.5) - 1, 1e-12);
  EXPECT_EQ(rows[2].chosen, "Linear_0K");
  EXPECT_NEAR(rows[2].versus_default, 1, 1e-12);
  const auto kept = answer_of(two_methods(), [](const Instance&) { return library_default(); });
  EXPECT_EQ(kept[0].chosen, "library's own");
  EXPECT_EQ(kept[0].versus_default, 0);
}

TEST(Answer, KeepsTheRowsThatGainMostInTheirOrder) {
  std::vector<AnswerRow> rows;
  for (const double gain : {-0.1, -0.3, 0.2, -0.1, -0.5}) rows.push_back({.versus_default = gain});
  const auto gains = [&](std::size_t most) {
    std::vector<double> kept;
    for (const AnswerRow& row : telling_rows(rows, most)) kept.push_back(row.versus_default);
    return kept;
  };
  EXPECT_THAT(gains(2), ::testing::ElementsAre(-0.3, -0.5));
  EXPECT_THAT(gains(3), ::testing::ElementsAre(-0.1, -0.3, -0.5)) << "the first of two equal ones";
  EXPECT_EQ(gains(5).size(), 5U);
  EXPECT_TRUE(gains(0).empty());
}

TEST(Answer, IsATable) {
  EXPECT_EQ(answer_table(answer_of(two_methods(), nullptr)).text(),
            "  collective           sizes      default us  best one method       beside default\n"
            "  bcast                1B..2K          15.87  Linear_0K             -50 % (-50..-50)\n"
            "  bcast                2049B              30  Linear_0K              +0 %\n"
            "  bcast                1M                400  Chain_8K              -75 %\n");
}

}  // namespace
}  // namespace colltree::evaluate
