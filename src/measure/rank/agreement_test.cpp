// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/agreement.h"

#include <gtest/gtest.h>

namespace colltree {
namespace {

TEST(Agreement, IsOfTheLeastMedianOfEachCommunicator) {
  const TriedCell calm{"a", {10, 14}, {{10.5, 30}, {9.6, 11}}};
  const Agreement all = judge(std::vector{calm}, 0.06);
  EXPECT_TRUE(all.agrees);
  EXPECT_EQ(all.text, "a: 10.00 us alone, 9.60 to 10.50 us at once");
  EXPECT_FALSE(judge(std::vector{calm}, 0.04).agrees);
}

TEST(Agreement, FailsByOneCellOfSeveral) {
  const TriedCell calm{"a", {10}, {{10}, {10}}};
  const TriedCell slow{"b", {100}, {{100}, {130}}};
  const TriedCell fast{"c", {100}, {{70}, {100}}};
  EXPECT_FALSE(judge(std::vector{calm, slow}, 0.2).agrees);
  EXPECT_FALSE(judge(std::vector{fast, calm}, 0.2).agrees);
  EXPECT_EQ(judge(std::vector{calm, slow}, 0.2).text,
            "a: 10.00 us alone, 10.00 to 10.00 us at once; b: 100.00 us alone, 100.00 to 130.00 us "
            "at once");
}

TEST(Agreement, NeedsACellThatWasMeasuredEverywhere) {
  const TriedCell failed{"a", {10, 0}, {{10}, {10}}};
  const TriedCell half{"b", {10}, {{10}, {0}}};
  const TriedCell calm{"c", {10}, {{10}, {10}}};
  EXPECT_FALSE(judge(std::vector{failed, half}, 1).agrees);
  EXPECT_EQ(judge(std::vector{failed, half}, 1).text,
            "no cell could be measured alone and at once");
  EXPECT_FALSE(judge({}, 1).agrees);
  EXPECT_TRUE(judge(std::vector{failed, calm}, 0.1).agrees);
}

}  // namespace
}  // namespace colltree
