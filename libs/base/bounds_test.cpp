// SPDX-License-Identifier: BSD-3-Clause
#include "base/bounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/test_scratch.h"

namespace colltree {
namespace {

TEST(Bounds, WholeNumbersAreReadStrictly) {
  const WholeRange range{2, 1000};
  EXPECT_EQ(parse_whole("2", range, "--folds"), 2U);
  EXPECT_EQ(parse_whole("1000", range, "--folds"), 1000U);
  for (const char* bad : {"", "1", "1001", "-1", "+3", " 3", "3 ", "3x", "3.5", "0x3", "nan",
                          "18446744073709551616"}) {
    EXPECT_EQ(error_of([&] { parse_whole(bad, range, "--folds"); }),
              std::string("--folds: expected a whole number from 2 to 1000, got '") + bad + "'");
  }
}

TEST(Bounds, RealNumbersAreFiniteAndWithin) {
  const RealRange share{0, 1, true};
  EXPECT_EQ(parse_real("1", share, "x"), 1);
  EXPECT_EQ(parse_real("1e-3", share, "x"), 1e-3);
  for (const char* bad : {"", "0", "-0", "-1", "1.5", "nan", "inf", "-inf", "1e999", "0,5", "1x"}) {
    EXPECT_EQ(error_of([&] { parse_real(bad, share, "x"); }),
              std::string("x: expected a number above 0, at most 1, got '") + bad + "'");
  }
  EXPECT_EQ(error_of([] {
              parse_real("-1", {0, 10}, "x");
            }),
            "x: expected a number from 0 to 10, got '-1'");
}

TEST(Bounds, LimitsAreWrittenAsAPersonWritesThem) {
  EXPECT_EQ(short_text(RealRange{0, 1000000, true}), ">0..1000000");
  EXPECT_EQ(short_text(RealRange{1e-9, 0.05}), "1e-09..0.05");
}

TEST(Bounds, SizesHaveSuffixes) {
  const WholeRange range{1, std::uint64_t{4} << 30};
  EXPECT_EQ(find_size("4G", range), std::uint64_t{4} << 30);
  for (const char* bad : {"", "0", "5G", "-1", "K", "4KK", "99999999999999999999"}) {
    EXPECT_EQ(find_size(bad, range), std::nullopt) << bad;
  }
  EXPECT_EQ(expected_size_text(range), "a size from 1 to 4G, such as 8, 64K or 2M");
}

TEST(Bounds, SizeTextIsShortAndExact) {
  EXPECT_EQ(size_text(0), "0");
  EXPECT_EQ(size_text(1000), "1000");
  EXPECT_EQ(size_text(1024), "1K");
  EXPECT_EQ(size_text(3 << 20), "3M");
}

TEST(Bounds, PercentIsAFraction) {
  EXPECT_DOUBLE_EQ(find_percent("0.1%", {0, 100}).value(), 0.001);
  EXPECT_DOUBLE_EQ(find_percent("50", {0, 100}).value(), 0.5);
  for (const char* bad : {"", "%", "-1%", "101", "nan%", "5%%"}) {
    EXPECT_EQ(find_percent(bad, {0, 100}), std::nullopt) << bad;
  }
}

TEST(Bounds, ListsOfSizesAreFiniteAndWithin) {
  const WholeRange each{1, 1024};
  EXPECT_THAT(parse_size_list("1..1K:x32,7", each, "x"), ::testing::ElementsAre(1, 7, 32, 1024));
  EXPECT_EQ(error_of([&] { parse_size_list("0,4", each, "x"); }),
            "x: expected sizes from 1 to 1K, got 0 in '0,4'");
  EXPECT_EQ(error_of([&] { parse_size_list("1..2K:x2", each, "x"); }),
            "x: expected sizes from 1 to 1K, got 2K in '1..2K:x2'");
  // The step beyond the last would leave 64 bits: such a list must end.
  EXPECT_EQ(parse_size_list("1..18446744073709551615:x2", {}, "x").size(), 64U);
  EXPECT_EQ(parse_size_list("0..18446744073709551615:9223372036854775808", {}, "x").size(), 2U);
  EXPECT_THAT(error_of([&] { parse_size_list("1..18446744073709551615", {}, "x"); }),
              ::testing::HasSubstr("has more than 100000 sizes; give a step"));
}

}  // namespace
}  // namespace colltree
