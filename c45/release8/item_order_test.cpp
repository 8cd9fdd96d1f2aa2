// SPDX-License-Identifier: BSD-3-Clause
#include "release8/item_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "release8/lexer.h"

namespace colltree::c45 {
namespace {

using ::testing::ElementsAre;

TEST(ItemOrder, BringsForwardBySwapsFromTheLeft) {
  std::vector<std::uint32_t> items = {9, 4, 7, 2, 6, 5};
  const auto even = [](std::uint32_t item) { return item % 2 == 0; };
  EXPECT_EQ(bring_forward(items, 1, 5, even), 4U);
  EXPECT_THAT(items, ElementsAre(9, 4, 2, 6, 7, 5)) << "9 and 5 lie outside";
  EXPECT_EQ(bring_forward(items, 0, 6, [](std::uint32_t) { return false; }), 0U);
}

TEST(ItemOrder, SortsARangeByItsValues) {
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    const std::size_t count = random() % 40;
    std::vector<float> value(count);
    for (float& one : value) one = static_cast<float>(random() % 7);
    std::vector<std::uint32_t> items(count);
    std::iota(items.begin(), items.end(), 0U);
    std::ranges::shuffle(items, random);
    const std::vector<std::uint32_t> before = items;
    const std::size_t first = count == 0 ? 0 : random() % count;
    const std::size_t end = first + (count == first ? 0 : random() % (count - first + 1));
    sort_as_release8(items, first, end, value);
    for (std::size_t i = 0; i < count; ++i) {
      if (i < first || i >= end) {
        ASSERT_EQ(items[i], before[i]) << "outside the range";
      }
      if (i > first && i < end) {
        ASSERT_LE(value[items[i - 1]], value[items[i]]);
      }
    }
    ASSERT_TRUE(std::ranges::is_permutation(items, before));
  }
}

TEST(ItemOrder, WeightsAreScaledAndTakenBack) {
  ItemOrder order(5);
  EXPECT_THAT(order.items, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(order.sum(1, 4), 3);
  std::swap(order.items[0], order.items[4]);
  order.scale(0, 2, 0.25F);  // cases 4 and 1
  EXPECT_THAT(order.weight, ElementsAre(1, 0.25F, 1, 1, 0.25F));
  EXPECT_EQ(order.sum(0, 5), 3.5F);
  order.unscale(0, 1, 0.25F);
  EXPECT_THAT(order.weight, ElementsAre(1, 0.25F, 1, 1, 1));
  order.reset_weights();
  EXPECT_EQ(order.sum(0, 5), 5);
}

std::string words_of_text(std::string_view text) {
  Lexer lexer(text);
  std::string all;
  while (const auto word = lexer.next()) {
    const char delimiter = word->delimiter == '\n' ? 'n'
                           : word->delimiter == 0  ? '0'
                                                   : word->delimiter;
    all += std::to_string(word->line) + "[" + word->text + "]" + delimiter + " ";
  }
  return all;
}

TEST(Lexer, EndsWordsWhereRelease8Does) {
  struct Case {
    const char* text;
    const char* words;
  };
  const Case cases[] = {
      {"", ""},
      {"a, b : c.\n", "1[a], 1[b]: 1[c]. "},
      {"c.", "1[c.\xFF]0 "},  // its own end of a file behind a dot,
      {"a  b\t c,d", "1[a b\t c], 1[d]0 "},
      {"3.5, .5.\n", "1[3.5], 1[.5]. "},
      {"a\\,b\\: c,", "1[a,b: c], "},
      {"a | comment, x\nb.\n", "1[a]| 2[b]. "},
      {"a.| tail\nb", "1[a]. 2[b]0 "},
      {"\n\n a,", "3[a], "},
      {"a,,b", "1[a], 1[], 1[b]0 "},
  };
  for (const Case& one : cases) EXPECT_EQ(words_of_text(one.text), one.words) << one.text;
}

}  // namespace
}  // namespace colltree::c45
