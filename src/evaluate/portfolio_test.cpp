// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/portfolio.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>

namespace colltree::evaluate {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Holders = std::vector<std::vector<std::size_t>>;

bool covers(const Holders& holders, const std::vector<std::size_t>& sets) {
  return std::ranges::all_of(holders, [&](const std::vector<std::size_t>& of) {
    return std::ranges::any_of(of, [&](std::size_t s) { return std::ranges::count(sets, s) > 0; });
  });
}

std::size_t least_by_trying_all(const Holders& holders, std::size_t sets) {
  std::size_t least = sets;
  for (std::uint32_t taken = 0; taken < (1U << sets); ++taken) {
    const bool all = std::ranges::all_of(holders, [&](const std::vector<std::size_t>& of) {
      return std::ranges::any_of(of, [&](std::size_t s) { return (taken >> s & 1) != 0; });
    });
    if (all) least = std::min<std::size_t>(least, static_cast<std::size_t>(std::popcount(taken)));
  }
  return least;
}

Holders random_holders(std::mt19937& random, std::size_t sets, std::size_t elements) {
  Holders holders(elements);
  for (std::vector<std::size_t>& of : holders) {
    for (std::size_t s = 0; s < sets; ++s) {
      if (random() % 4 == 0) of.push_back(s);
    }
    if (of.empty()) of.push_back(random() % sets);
  }
  return holders;
}

TEST(SetCover, AgreesWithTryingAll) {
  std::mt19937 random(7);
  for (int i = 0; i < 500; ++i) {
    const std::size_t sets = 1 + random() % 12;
    const Holders holders = random_holders(random, sets, random() % 40);
    const Cover cover = least_cover(holders, sets);
    ASSERT_TRUE(covers(holders, cover.sets)) << i;
    ASSERT_EQ(cover.sets.size(), holders.empty() ? 0 : least_by_trying_all(holders, sets)) << i;
    ASSERT_EQ(cover.at_least, cover.sets.size()) << i;
  }
}

TEST(SetCover, WhenItGivesUpTheBoundIsStillTrue) {
  std::mt19937 random(8);
  std::size_t gave_up = 0;
  for (int i = 0; i < 200; ++i) {
    const std::size_t sets = 12;
    const Holders holders = random_holders(random, sets, 60);
    const Cover cover = least_cover(holders, sets, 1);
    ASSERT_TRUE(covers(holders, cover.sets)) << i;
    ASSERT_LE(cover.at_least, least_by_trying_all(holders, sets)) << i;
    gave_up += cover.at_least < cover.sets.size() ? 1 : 0;
  }
  EXPECT_GT(gave_up, 0U);
}

TEST(SetCover, MoreSetsThanAWordHasBits) {
  Holders holders;
  for (std::size_t s = 0; s < 200; ++s) holders.push_back({s, 200 + s / 2});
  const Cover cover = least_cover(holders, 300);
  EXPECT_EQ(cover.sets.size(), 100U);
  EXPECT_EQ(cover.sets.front(), 200U);
}

TEST(SetCover, TiesGoToTheFirst) {
  EXPECT_THAT(least_cover({{1, 2}, {1, 2}, {0, 1, 2}}, 3).sets, ElementsAre(1));
  EXPECT_THAT(least_cover({}, 3).sets, IsEmpty());
}

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

}  // namespace colltree::evaluate
