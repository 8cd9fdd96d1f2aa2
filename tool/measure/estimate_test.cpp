// SPDX-License-Identifier: BSD-3-Clause
#include "measure/estimate.h"

#include <gmock/gmock.h>

namespace colltree::measure {
namespace {

using ::testing::HasSubstr;

CampaignRequest request(const Budget& budget) {
  CampaignRequest made;
  made.collectives = {Collective::kBcast};
  made.grid = {{2, 4, 8, 16}, {1, 64, 4096, 262144}};
  made.methods = "linear,binomial,default";
  made.budget = budget;
  return made;
}

CampaignEstimate estimate_of(const Budget& budget) {
  const auto driver = make_simulated_driver(find_platform("grig"), NoiseModel{}, 1);
  return estimate(request(budget), *driver);
}

TEST(Estimate, CountsCellsAndTheirCost) {
  const CampaignEstimate all = estimate_of({});
  EXPECT_EQ(all.cells, 3U * 16);
  EXPECT_GT(all.seconds, 0);
  EXPECT_EQ(all.most_seconds, 0) << "a simulated cell has no time limit";
  EXPECT_EQ(all.first_cells, 0U) << "every cell is measured";
  const CampaignEstimate part = estimate_of({.share = 0.5});
  EXPECT_EQ(part.seconds, all.seconds);
  EXPECT_GT(part.first_cells, 3U);
  EXPECT_LT(part.first_cells, all.cells);
  EXPECT_LT(part.first_seconds, all.seconds);
}

std::string said(const Budget& budget) {
  return estimate_text({.cells = 2142,
                        .seconds = 200,
                        .most_seconds = 2142,
                        .first_cells = budget.adaptive() ? 300U : 0U,
                        .first_seconds = 30,
                        .budget = budget});
}

TEST(Estimate, SaysWhatABudgetBuys) {
  EXPECT_EQ(said({}), "2142 cells, about 3 min of measuring (at most 36 min)");
  EXPECT_EQ(
      said({.seconds = 600}),
      "2142 cells, about 3 min of measuring (at most 36 min); the budget is enough for all of "
      "them");
  EXPECT_EQ(said({.seconds = 100}),
            "2142 cells, about 3 min of measuring (at most 36 min); the budget buys about 50 % of "
            "that, the rest is predicted; the first 300 cells (30 s) only show what each method is "
            "like");
  EXPECT_THAT(said({.seconds = 10}),
              HasSubstr("like: it is too small to compare all methods, which takes about 75 s"));
  EXPECT_THAT(said({.share = 0.05}), HasSubstr("buys about 5 % of that"));
  EXPECT_THAT(said({.cells = 500}), HasSubstr("which takes about 750 cells"));
  EXPECT_THAT(said({.until = 0.01}),
              HasSubstr("; --until ends it earlier, and the first 300 cells"));
}

TEST(Estimate, TimesAreRounded) {
  EXPECT_EQ(about_text(0.2), "1 s");
  EXPECT_EQ(about_text(59.6), "60 s");
  EXPECT_EQ(about_text(150), "2 min");
  EXPECT_EQ(about_text(9000), "2.5 h");
}

}  // namespace
}  // namespace colltree::measure
