// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/portfolio.h"

#include <gtest/gtest.h>

namespace colltree {
namespace {

// alltoall on 3 ranks with 1, 2, 3, ... bytes; each a, b, c; 0 = was not measured. Not methods of
// ours: what was not measured cannot run.
Timings table(const std::vector<std::vector<double>>& times_us) {
  Timings timings;
  timings.collective = Collective::kAlltoall;
  timings.methods = {{"a", 0}, {"b", 0}, {"c", 0}};
  for (std::size_t i = 0; i < times_us.size(); ++i) {
    timings.instances.push_back({Collective::kAlltoall, 3, i + 1});
    for (const double time_us : times_us[i])
      timings.time_us.push_back(time_us == 0 ? kNoTime : time_us);
    timings.default_us.push_back(kNoTime);
  }
  return timings;
}

std::vector<std::string> names(const Portfolio& portfolio) {
  std::vector<std::string> names;
  for (const PortfolioMember& member : portfolio.members) names.push_back(member.method.algorithm);
  return names;
}

TEST(Portfolio, IsTheFewestMethodsWithinTheTolerance) {
  // c is never the best, and alone within 1 % everywhere.
  const Timings timings = table({{100, 200, 101}, {200, 100, 101}, {0, 100, 100.5}});
  const Portfolio exact = find_portfolio(timings, 0);
  EXPECT_EQ(names(exact), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(exact.at_least, 2U);
  EXPECT_EQ(exact.of_methods, 3U);
  EXPECT_EQ(exact.cells, 5U);
  EXPECT_EQ(exact.all_cells, 8U);
  EXPECT_NEAR(exact.time_share, 700 / 1002.5, 1e-12);
  const Portfolio near = find_portfolio(timings, 0.01);
  EXPECT_EQ(names(near), (std::vector<std::string>{"c"}));
  EXPECT_EQ(near.members[0].best_at, 3U);
  EXPECT_EQ(near.members[0].needed_at, 3U);
}

TEST(Portfolio, CountsWhereOneIsNeeded) {
  const Portfolio portfolio =
      find_portfolio(table({{100, 100, 500}, {100, 500, 500}, {500, 100, 500}, {0, 0, 0}}), 0.01);
  ASSERT_EQ(names(portfolio), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(portfolio.members[0].best_at, 2U);
  EXPECT_EQ(portfolio.members[0].needed_at, 1U);
  EXPECT_EQ(portfolio.members[1].needed_at, 1U);
}

TEST(Portfolio, PenaltyIsThatOfTheFastestOfThem) {
  const Timings timings = table({{100, 200, 110}, {200, 100, 150}, {100, 0, 0}});
  const PenaltyPoints points = penalty_of_choosing_among(timings, {{"b", 0}, {"c", 0}});
  ASSERT_EQ(points.values.size(), 2U);
  EXPECT_NEAR(points.values[0], 0.1, 1e-12);
  EXPECT_NEAR(points.values[1], 0, 1e-12);
  ASSERT_EQ(points.cannot_run.size(), 1U);
  EXPECT_EQ(points.cannot_run[0].instance.message_size, 3U);
}

}  // namespace
}  // namespace colltree
