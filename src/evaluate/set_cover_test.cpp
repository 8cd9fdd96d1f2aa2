// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/set_cover.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <random>

namespace colltree {
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

}  // namespace
}  // namespace colltree
