// SPDX-License-Identifier: BSD-3-Clause
// JSON with lines: what it reads, where it says things stand, and each way in which it is broken.
#include "emit/rules/json_lines.h"

#include <gtest/gtest.h>

#include "emit/rules/rule_set.h"

namespace colltree {
namespace {

std::string json_error(std::string_view text) {
  try {
    parse_json_lines(text);
  } catch (const JsonError& error) {
    return std::to_string(error.line) + ": " + error.text;
  }
  return "";
}

TEST(JsonLines, ValuesHaveTheirLinesAndBytes) {
  constexpr std::string_view kText =
      "{ \"a\": 12,\n  \"b\": [true,\n null, \"x\\\"y\"],\n\"a\": {}}\n";
  const JsonValue all = parse_json_lines(kText);
  ASSERT_EQ(all.kind, JsonKind::kObject);
  ASSERT_EQ(all.members.size(), 3U);
  EXPECT_EQ(all.find("a")->integer(), 12) << "the first of two";
  EXPECT_EQ(all.members[2].value.kind, JsonKind::kObject);
  EXPECT_EQ(all.members[2].line, 4U);
  const JsonValue& list = *all.find("b");
  ASSERT_EQ(list.items.size(), 3U);
  EXPECT_EQ(list.items[0].kind, JsonKind::kBoolean);
  EXPECT_EQ(list.items[0].line, 2U);
  EXPECT_EQ(list.items[1].kind, JsonKind::kNull);
  EXPECT_EQ(list.items[1].line, 3U);
  EXPECT_EQ(list.items[2].text, "x\"y");
  EXPECT_EQ(kText.substr(list.begin, list.end - list.begin), "[true,\n null, \"x\\\"y\"]");
  EXPECT_EQ(kText.substr(list.items[2].begin, list.items[2].end - list.items[2].begin),
            "\"x\\\"y\"");
  EXPECT_EQ(all.find("c"), nullptr);
}

TEST(JsonLines, IntegersAreNumbersWithoutFraction) {
  struct Case {
    const char* text;
    std::optional<std::int64_t> integer;
  };
  const Case cases[] = {{"0", 0},
                        {"-7", -7},
                        {"9223372036854775807", INT64_MAX},
                        {"9223372036854775808", std::nullopt},
                        {"1.0", std::nullopt},
                        {"1e3", std::nullopt},
                        {"\"3\"", std::nullopt},
                        {"true", std::nullopt}};
  for (const Case& one : cases)
    EXPECT_EQ(parse_json_lines(one.text).integer(), one.integer) << one.text;
}

TEST(JsonLines, WhatIsNoJsonIsSaidByItsLine) {
  struct Case {
    const char* text;
    const char* error;
  };
  const Case cases[] = {
      {"", "1: the file is empty"},
      {" \n\n", "3: the file is empty"},
      {"{}\n{}", "2: '{' after the end of the JSON"},
      {"{\"a\":1,\n}", "2: expected a key in quotes, got '}'"},
      {"{a:1}", "1: expected a key in quotes, got 'a'"},
      {"{\n\"a\"", "2: expected ':' after \"a\", got the end of the file"},
      {"{\"a\" 1}", "1: expected ':' after \"a\", got '1'"},
      {"{\"a\":}", "1: expected a value, got '}'"},
      {"{\"a\":1 \"b\":2}", "1: expected ',' or '}', got '\"'"},
      {"{\"a\":1", "1: expected ',' or '}', got the end of the file"},
      {"[1\n2]", "2: expected ',' or ']', got '2'"},
      {"[1,]", "1: expected a value, got ']'"},
      {"[", "1: expected a value, got the end of the file"},
      {"\"ab\nc\"", "1: a string without its closing quote"},
      {"\"ab\\", "1: a string without its closing quote"},
      {"tru", "1: 'tru' is no JSON"},
      {"+", "1: '+' is no JSON"},
      {"[0x10]", "1: '0x10' is no JSON"},
      {"nan", "1: 'nan' is no JSON"},
      {"[-inf]", "1: '-inf' is no JSON"},
      {"NULL", "1: 'NULL' is no JSON"},
      {"01", "1: '01' is no JSON"},
      {"+1", "1: '+1' is no JSON"},
      {"-", "1: '-' is no JSON"},
      {".5", "1: '.5' is no JSON"},
      {"1.", "1: '1.' is no JSON"},
      {"1.e3", "1: '1.e3' is no JSON"},
      {"1e", "1: '1e' is no JSON"},
      {"1e+", "1: '1e+' is no JSON"},
      {"1e5x", "1: '1e5x' is no JSON"},
  };
  for (const Case& one : cases) EXPECT_EQ(json_error(one.text), one.error) << one.text;
}

TEST(JsonLines, NumbersAreThoseOfJson) {
  for (const char* text : {"0", "-0", "10", "-7", "0.5", "1e5", "1E-5", "12.25e+10"})
    EXPECT_EQ(parse_json_lines(text).kind, JsonKind::kNumber) << text;
}

TEST(JsonLines, DepthHasALimit) {
  const std::string open(128, '[');
  const std::string close(128, ']');
  EXPECT_EQ(json_error(open + "1" + close), "");
  EXPECT_EQ(json_error("[" + open + "1" + close + "]"), "1: more than 128 levels");
  EXPECT_EQ(json_error(std::string(1000000, '{')), "1: expected a key in quotes, got '{'");
}

TEST(JsonLines, EveryTruncationIsRefused) {
  const std::string text = "{\"a\":[1,{\"b\":\"c\"},true],\"d\":null}";
  EXPECT_EQ(json_error(text), "");
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_NE(json_error(text.substr(0, size)), "") << size;
}

TEST(JsonKinds, HaveNames) {
  for (const auto& [text, kind] : {std::pair{"null", "null"},
                                   {"false", "true or false"},
                                   {"1", "a number"},
                                   {"\"\"", "a string"},
                                   {"[]", "an array"},
                                   {"{}", "an object"}})
    EXPECT_EQ(name(parse_json_lines(text).kind), kind);
}

}  // namespace
}  // namespace colltree
