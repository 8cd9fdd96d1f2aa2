// SPDX-License-Identifier: BSD-3-Clause
#include "measure/campaign_request.h"

#include <gmock/gmock.h>

#include "base/test_scratch.h"

namespace colltree::measure {
namespace {

TEST(Budget, IsATimeAShareOrCells) {
  EXPECT_EQ(parse_budget("90s").seconds, 90);
  EXPECT_EQ(parse_budget("30m").seconds, 1800);
  EXPECT_EQ(parse_budget("1.5h").seconds, 5400);
  EXPECT_EQ(parse_budget("5%").share, 0.05);
  EXPECT_EQ(parse_budget("2000cells").cells, 2000U);
  EXPECT_FALSE(parse_budget("").adaptive());
  EXPECT_TRUE(parse_budget("1cells").adaptive());
  EXPECT_EQ(parse_until("0.5%"), 0.005);
  EXPECT_EQ(parse_until(""), std::nullopt);
}

TEST(Budget, AnythingElseIsRefused) {
  for (const std::string text :
       {"5", "m", "-1m", "0s", "0%", "101%", "0cells", "5 m", "5d", "nan%", "1e9h", "5%%"}) {
    EXPECT_EQ(error_of([&] { parse_budget(text); }),
              "--budget: expected a time (90s, 30m, 2h), a share of all cells' cost (5%) or a "
              "number of cells (2000cells), got '" +
                  text + "'");
  }
  for (const std::string text : {"0.5", "0%", "-1%", "101%", "x%"}) {
    EXPECT_EQ(error_of([&] { parse_until(text); }),
              "--until: expected the mean penalty that is small enough, such as 0.5%, got '" +
                  text + "'");
  }
}

}  // namespace
}  // namespace colltree::measure
