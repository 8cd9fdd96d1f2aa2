// SPDX-License-Identifier: BSD-3-Clause
#include "base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace colltree {
namespace {

using ::testing::ElementsAre;

TEST(Text, ParseBytesAcceptsSuffixesAndNothingElse) {
  EXPECT_EQ(parse_bytes("0"), 0U);
  EXPECT_EQ(parse_bytes("1448"), 1448U);
  EXPECT_EQ(parse_bytes("384K"), 393216U);
  EXPECT_EQ(parse_bytes("2MB"), 2097152U);
  EXPECT_EQ(parse_bytes("1g"), 1073741824U);
  for (const char* bad :
       {"", "K", "-1", "+1", " 1", "1 K", "1.5K", "0x10", "99999999999999999999", "17179869184G"}) {
    EXPECT_FALSE(parse_bytes(bad)) << bad;
  }
}

TEST(Text, FormatBytesReadsBack) {
  for (const std::uint64_t size :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1023}, std::uint64_t{1024},
        std::uint64_t{1448}, std::uint64_t{393216}, std::uint64_t{1} << 40}) {
    EXPECT_EQ(parse_bytes(format_bytes(size)), size);
  }
  EXPECT_EQ(format_bytes(0), "0K");
  EXPECT_EQ(format_bytes(1500), "1500B");
}

TEST(Text, SizeLists) {
  EXPECT_THAT(parse_size_list("2..5", "--x"), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(parse_size_list("8, 2,2", "--x"), ElementsAre(2, 8));
  EXPECT_THAT(parse_size_list("1..16:x4", "--x"), ElementsAre(1, 4, 16));
  EXPECT_THAT(parse_size_list("4..12:4,1K", "--x"), ElementsAre(4, 8, 12, 1024));
}

TEST(Text, BadSizeListsNameTheOptionAndTheRemedy) {
  for (const char* bad :
       {"", "a", "5..2", "1..", "..4", "1..8:0", "1..8:x1", "0..8:x2", "1,,2", "1..8:"}) {
    try {
      parse_size_list(bad, "--message-sizes");
      FAIL() << bad;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), ::testing::StartsWith("--message-sizes: '"));
    }
  }
}

TEST(Text, NearestSuggestsOnlyWhatIsNear) {
  const std::vector<std::string> words = {"--platform", "--launcher", "bcast", "reduce"};
  EXPECT_EQ(nearest("--platfrom", words), "--platform");
  EXPECT_EQ(nearest("bcats", words), "bcast");
  EXPECT_EQ(nearest("xyzzy", words), std::nullopt);
  EXPECT_EQ(did_you_mean("redcue", words), "; did you mean 'reduce'?");
}

TEST(Text, DoublesReadBack) {
  for (const double value : {0.1, 1e-9, 123456.789, 5e300}) {
    EXPECT_EQ(parse_number<double>(format_double(value)), value);
  }
}

}  // namespace
}  // namespace colltree
