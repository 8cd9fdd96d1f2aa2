// SPDX-License-Identifier: BSD-3-Clause
#include "base/text.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bounds.h"
#include "base/csv_fields.h"
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
  EXPECT_THAT(parse_size_list("2..5", {}, "--x"), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(parse_size_list("8, 2,2", {}, "--x"), ElementsAre(2, 8));
  EXPECT_THAT(parse_size_list("1..16:x4", {}, "--x"), ElementsAre(1, 4, 16));
  EXPECT_THAT(parse_size_list("4..12:4,1K", {}, "--x"), ElementsAre(4, 8, 12, 1024));
}

TEST(Text, BadSizeListsNameTheOptionAndTheRemedy) {
  for (const char* bad :
       {"", "a", "5..2", "1..", "..4", "1..8:0", "1..8:x1", "0..8:x2", "1,,2", "1..8:"}) {
    try {
      parse_size_list(bad, {}, "--message-sizes");
      FAIL() << bad;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), ::testing::StartsWith("--message-sizes: '"));
    }
  }
}

TEST(Text, ConcatWritesWhatTheFormattingLibraryWrites) {
  const std::string text = "text";
  EXPECT_EQ(concat("a ", text, std::string_view(", b"), 'c', -7, 1844674407370955161ULL),
            fmt::format("{}{}{}{}{}{}", "a ", text, std::string_view(", b"), 'c', -7,
                        1844674407370955161ULL));
  EXPECT_EQ(concat(""), "");
}

TEST(Text, NearestSuggestsOnlyWhatIsNear) {
  const std::vector<std::string> words = {"--platform", "--launcher", "bcast", "reduce"};
  EXPECT_EQ(nearest("--platfrom", words), "--platform");
  EXPECT_EQ(nearest("bcats", words), "bcast");
  EXPECT_EQ(nearest("xyzzy", words), std::nullopt);
  EXPECT_EQ(did_you_mean("redcue", words), "; did you mean 'reduce'?");
  EXPECT_EQ(meant_or_known("redcue", words), "; did you mean 'reduce'?");
  EXPECT_EQ(meant_or_known("xyzzy", words), "; known are --platform, --launcher, bcast, reduce");
}

TEST(Text, ListsGiveValuesAndPlaces) {
  const std::vector<std::string> words = {"bcast", "reduce", "bcast", "max"};
  const auto size = [](const std::string& word) { return word.size(); };
  EXPECT_EQ(mapped(words, size), (std::vector<std::size_t>{5, 6, 5, 3}));
  EXPECT_EQ(index_of(words, "bcast"), 0U);
  EXPECT_EQ(index_of(words, 6U, size), 1U);
  EXPECT_EQ(index_of(words, "scan"), std::nullopt);
}

TEST(Text, DoublesReadBack) {
  for (const double value : {0.1, 1e-9, 123456.789, 5e300}) {
    EXPECT_EQ(parse_number<double>(format_double(value)), value);
  }
}

// Nothing of a file reaches a terminal or another file's lines as a command.
TEST(Printable, TextStays) {
  for (const char* text : {"", "binomial", "Grüße 日本 😀", "a\\b"}) {
    EXPECT_EQ(printable(text), text);
    EXPECT_EQ(unfit_for_line(text), "");
  }
}

// What stands in place of a word may be the rest of a broken file.
TEST(ParseError, QuotesNoMoreThanCanBeRead) {
  const std::string word(199, 'x');
  EXPECT_STREQ(ParseError("f", 2, "a size", word).what(),
               ("f:2: expected a size, got '" + word + "'").c_str());
  EXPECT_STREQ(ParseError("f", 2, "a size", word + "\u00e9" + word).what(),
               ("f:2: expected a size, got '" + word + "'... (400 bytes)").c_str());
}

TEST(Printable, ControlCharactersAreShown) {
  EXPECT_EQ(printable("a\x1b]0;x\x07\r\nb"), R"(a\x1B]0;x\x07\x0D\x0Ab)");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            R"(\xC2\x9B31m)");                              // CSI in one character
  EXPECT_EQ(printable("\xE2\x80\xAE"), R"(\xE2\x80\xAE)");  // right to left
  EXPECT_EQ(unfit_for_line("a\x1b["), "a control character (0x1B)");
  EXPECT_EQ(unfit_for_line("a\nb"), "a control character (0x0A)");
  EXPECT_EQ(unfit_for_line(std::string_view("a\0b", 3)), "a control character (0x00)");
  EXPECT_EQ(unfit_for_line("\xC2\x85"), "a control character (0x85)");
}

TEST(Printable, BytesThatAreNotUtf8) {
  EXPECT_EQ(unfit_for_line("caf\xE9"), "a byte that is not UTF-8 (0xE9)");
  EXPECT_EQ(printable("caf\xE9!"), R"(caf\xE9!)");
  for (const char* text : {"\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xFF",
                           "\x80", "\xE2\x82"}) {
    EXPECT_NE(unfit_for_line(text).find("not UTF-8"), std::string::npos) << printable(text);
  }
}

TEST(Printable, AnErrorOfAFileIsOneLineWithoutEscapes) {
  EXPECT_STREQ(ParseError("F\x1b", 3, "a name", "\x07").what(),
               R"(F\x1B:3: expected a name, got '\x07')");
  EXPECT_STREQ(ParseError("F", 3, "'\x1b[31mred\n'").what(), R"(F:3: '\x1B[31mred\x0A')");
}

TEST(CsvFields, QuotesAsRfc4180) {
  EXPECT_EQ(csv_field("binomial"), "binomial");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(csv_field(" a"), "\" a\"");
}

TEST(CsvFields, SpreadsheetsDoNotCalculate) {
  EXPECT_EQ(csv_field("=1+1"), "'=1+1");
  EXPECT_EQ(csv_field("=HYPERLINK(\"x\",1)"), "\"'=HYPERLINK(\"\"x\"\",1)\"");
  EXPECT_EQ(csv_field("@x"), "'@x");
}

TEST(CsvFields, WhatIsWrittenIsReadBack) {
  const std::vector<std::string> texts = {"",     "a",   "=a",  "+a",    "-1",  "@",   "'",
                                          "'a",   "'=a", "''",  "''=a",  "'-",  "a,b", "\"",
                                          "\"\"", " a ", ",,,", "'\"=,", "=\"", "a'b"};
  std::string line;
  for (const std::string& text : texts) line += (line.empty() ? "a," : ",") + csv_field(text);
  auto read = split_csv("a" + line.substr(1));
  ASSERT_TRUE(read);
  read->erase(read->begin());
  EXPECT_EQ(*read, texts);
}

TEST(CsvFields, BrokenQuotes) {
  EXPECT_FALSE(split_csv("a,\"b"));
  EXPECT_FALSE(split_csv("a,b\"c"));
  EXPECT_FALSE(split_csv("\"a\"b,c"));
  EXPECT_EQ(split_csv("a,,")->size(), 3U);
  EXPECT_EQ(split_csv("\"a\",\"\"")->size(), 2U);
}

}  // namespace
}  // namespace colltree
