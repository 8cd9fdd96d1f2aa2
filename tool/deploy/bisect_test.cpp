// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/bisect.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace colltree::deploy {
namespace {

using Places = std::vector<std::size_t>;

Places places_to(std::size_t count) {
  Places places(count);
  std::iota(places.begin(), places.end(), std::size_t{0});
  return places;
}

// `needed`: the changes that only together make the effect. Returns also the number of questions.
std::pair<Places, std::size_t> search(std::size_t count, const Places& needed) {
  std::set<Places> seen;
  const Places found = smallest_explaining(places_to(count), [&](const Places& places) {
    EXPECT_TRUE(seen.insert(places).second) << "the same set twice";
    EXPECT_LT(places.size(), count);
    EXPECT_TRUE(std::ranges::is_sorted(places));
    return std::ranges::includes(places, needed);
  });
  return {found, seen.size()};
}

TEST(Bisect, FindsEachSingleChangeByHalving) {
  for (std::size_t count = 1; count <= 9; ++count) {
    for (std::size_t culprit = 0; culprit < count; ++culprit)
      EXPECT_EQ(search(count, {culprit}).first, Places{culprit});
  }
  EXPECT_LE(search(16, {11}).second, 8U);
}

TEST(Bisect, FindsChangesThatMatterOnlyTogether) {
  for (std::size_t count = 2; count <= 8; ++count) {
    for (std::size_t first = 0; first < count; ++first) {
      for (std::size_t second = first + 1; second < count; ++second)
        EXPECT_EQ(search(count, {first, second}).first, (Places{first, second}));
    }
  }
  EXPECT_EQ(search(7, {0, 3, 6}).first, (Places{0, 3, 6}));
  EXPECT_EQ(search(3, {0, 1, 2}).first, (Places{0, 1, 2}));
}

// Where each change has its part, the set is smaller than all of them, and none of it can be left
// out.
TEST(Bisect, FindsASmallSetWhereEachChangeHasItsPart) {
  const auto enough = [](const Places& places) { return places.size() >= 3; };
  EXPECT_EQ(smallest_explaining(places_to(6), enough), (Places{0, 1, 2}));
}

TEST(Bisect, OneOfTwoThatEachSuffice) {
  const auto either = [](const Places& places) {
    return std::ranges::count(places, 1U) + std::ranges::count(places, 4U) > 0;
  };
  EXPECT_EQ(smallest_explaining(places_to(5), either), Places{1});
}

}  // namespace
}  // namespace colltree::deploy
