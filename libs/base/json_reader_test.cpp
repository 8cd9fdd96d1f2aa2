// SPDX-License-Identifier: BSD-3-Clause
// What is read as JSON, where it says things stand, and each way in which it is broken.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <iterator>
#include <random>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/test_json.h"

namespace colltree {
namespace {

std::string json_error(std::string_view text) {
  try {
    Json::parse(text);
  } catch (const JsonError& error) {
    return std::to_string(error.line) + ":" + std::to_string(error.column) + ": " + error.what();
  }
  return "";
}

TEST(JsonReader, ValuesHaveTheirLinesAndBytes) {
  constexpr std::string_view kText =
      "{ \"a\": 12,\n  \"b\": [true,\n null, \"x\\\"y\"],\n\"a\":\n {}}\n";
  const Json all = Json::parse(kText, JsonDialect::kJsonC);
  ASSERT_EQ(all.kind(), JsonKind::kObject);
  ASSERT_EQ(all.items().size(), 3U);
  EXPECT_EQ(all.find("a")->whole(), 12) << "the first of two";
  EXPECT_EQ(all.items()[2].value.kind(), JsonKind::kObject);
  EXPECT_EQ(all.items()[2].line(), 4U);
  EXPECT_EQ(all.items()[2].value.line(), 5U);
  const Json& list = *all.find("b");
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[0].kind(), JsonKind::kBoolean);
  EXPECT_EQ(list[0].line(), 2U);
  EXPECT_EQ(list[1].kind(), JsonKind::kNull);
  EXPECT_EQ(list[1].line(), 3U);
  EXPECT_EQ(list[2].text(), "x\"y");
  EXPECT_EQ(text_in(kText, list.place()), "[true,\n null, \"x\\\"y\"]");
  EXPECT_EQ(text_in(kText, list[2].place()), "\"x\\\"y\"");
  EXPECT_EQ(all.find("c"), nullptr);
}

TEST(JsonReader, IntegersAreNumbersWithoutFraction) {
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
  for (const Case& one : cases) EXPECT_EQ(Json::parse(one.text).whole(), one.integer) << one.text;
}

TEST(JsonReader, WhatIsNoJsonIsSaidByItsLine) {
  struct Case {
    const char* text;
    const char* error;
  };
  const Case cases[] = {
      {"", "1:1: the file is empty"},
      {" \n\n", "3:1: the file is empty"},
      {"{}\n{}", "2:1: '{' after the end of the JSON"},
      {"{\"a\":1,\n}", "2:1: expected a key in quotes, got '}'"},
      {"{a:1}", "1:2: expected a key in quotes, got 'a'"},
      {"{\n\"a\"", "2:4: expected ':' after 'a', got the end of the file"},
      {"{\"a\" 1}", "1:6: expected ':' after 'a', got '1'"},
      {"{\"a\":}", "1:6: expected a value, got '}'"},
      {"{\"a\":1 \"b\":2}", "1:8: expected ',' or '}', got '\"'"},
      {"{\"a\":1", "1:7: expected ',' or '}', got the end of the file"},
      {"[1\n2]", "2:1: expected ',' or ']', got '2'"},
      {"[1,]", "1:4: expected a value, got ']'"},
      {"[", "1:2: expected a value, got the end of the file"},
      {"\"ab\nc\"", "1:4: a string without its closing quote"},
      {"\"ab\\", "1:5: a string without its closing quote"},
      {"tru", "1:1: 'tru' is no JSON"},
      {"+", "1:1: '+' is no JSON"},
      {"[0x10]", "1:2: '0x10' is no JSON"},
      {"nan", "1:1: 'nan' is no JSON"},
      {"[-inf]", "1:2: '-inf' is no JSON"},
      {"NULL", "1:1: 'NULL' is no JSON"},
      {"01", "1:1: '01' is no JSON"},
      {"+1", "1:1: '+1' is no JSON"},
      {"-", "1:1: '-' is no JSON"},
      {".5", "1:1: '.5' is no JSON"},
      {"1.", "1:1: '1.' is no JSON"},
      {"1.e3", "1:1: '1.e3' is no JSON"},
      {"1e", "1:1: '1e' is no JSON"},
      {"1e+", "1:1: '1e+' is no JSON"},
      {"1e5x", "1:1: '1e5x' is no JSON"},
      {"[1e999]", "1:2: '1e999' is beyond what a number can be"},
      {"\"a\tb\"", "1:3: a control character (0x09) in a string"},
      {"\"a\x1f\"", "1:3: a control character (0x1F) in a string"},
      {"\"\xff\"", "1:4: a string that is not UTF-8"},
      {"\"\\ud83d\\u0041\"", "1:8: '\\u' with half a pair"},
      {"\"\\ude00\"", "1:8: '\\u' with half a pair"},
      {"{\"b\":1,\n\"a\":2,\"b\":3}", "2:11: 'b' stands twice in an object"},
  };
  for (const Case& one : cases) EXPECT_EQ(json_error(one.text), one.error) << one.text;
}

TEST(JsonReader, NumbersAreThoseOfJson) {
  for (const char* text : {"0", "-0", "10", "-7", "0.5", "1e5", "1E-5", "12.25e+10"})
    EXPECT_EQ(Json::parse(text).kind(), JsonKind::kNumber) << text;
}

TEST(JsonReader, DepthHasALimit) {
  const std::string open(Json::kDeepest, '[');
  const std::string close(Json::kDeepest, ']');
  EXPECT_EQ(json_error(open + "1" + close), "");
  EXPECT_EQ(json_error("[" + open + "1" + close + "]"), "1:1002: more than 1000 levels");
  EXPECT_EQ(json_error(std::string(1000000, '{')), "1:2: expected a key in quotes, got '{'");
}

TEST(JsonReader, EveryTruncationIsRefused) {
  const std::string text = "{\"a\":[1,{\"b\":\"c\"},true],\"d\":null}";
  EXPECT_EQ(json_error(text), "");
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_NE(json_error(text.substr(0, size)), "") << size;
}

struct DialectCase {
  const char* text;
  bool json_c;  // tried with MPICH 4.0.2
};
constexpr DialectCase kDialectCases[] = {
    {"{\"a\":1,}", true},
    {"[1,2,]", true},
    {"[,]", false},
    {"{,}", false},
    {"[1,,2]", false},
    {"{\"a\":1,,}", false},
    {"/* c */ {\"a\" /* b */ : // d\n 1}", true},
    {"{} // no line end", true},
    {"{} /* without its end", true},
    {"{ /* without its end", false},
    {"{} /x", false},
    {"{'a':'b'}", true},
    {"{'a\"':1}", true},
    {"{'a\\'':1}", false},
    {"{a:1}", false},
    {"{\"a\":1} and more", true},
    {"{\"a\":1 \"b\":2}", false},
    {"[TRUE, False, nUll]", true},
    {"[NaN, Infinity, -infinity]", true},
    {"[truex]", false},
    {"[01]", true},
    {"[1.]", true},
    {"[1.5e-3, -0]", true},
    {"[1.5.2]", false},
    {"[+1]", false},
    {"[.5]", false},
    {"[0x10]", false},
    {"[\"a\nb\"]", true},
    {"[\"\\q\"]", false},
    {"[\"\\u0041\\u00e9\\u20AC\"]", true},
    {"[\"\\u00g1\"]", false},
    {"[\"a]", false},
    {"\xEF\xBB\xBF{}", false},
    {"\v\f{}", true},
    {"# c\n{}", false},
    {"", false},
};

bool takes(std::string_view text, JsonDialect dialect) {
  try {
    Json::parse(text, dialect);
    return true;
  } catch (const JsonError&) {
    return false;
  }
}

TEST(JsonReader, EachDialectTakesWhatItsLibraryTakes) {
  for (const DialectCase& one : kDialectCases) {
    EXPECT_EQ(takes(one.text, JsonDialect::kJsonC), one.json_c) << one.text;
  }
  EXPECT_EQ(Json::parse("\"\\ud83d\\ude00\"").text(), "\xF0\x9F\x98\x80");
  EXPECT_EQ(Json::parse("['\\ud83d']", JsonDialect::kJsonC)[0].text(), "\xEF\xBF\xBD");
  EXPECT_EQ(Json::parse("['\\u00e9\\\"\\/\\u20AC']", JsonDialect::kJsonC)[0].text(),
            "\xC3\xA9\"/\xE2\x82\xAC");
  const std::string open(31, '[');
  const std::string close(31, ']');
  EXPECT_TRUE(takes(open + "1" + close, JsonDialect::kJsonC));
  EXPECT_FALSE(takes("[" + open + "1" + close + "]", JsonDialect::kJsonC));
}

// The library itself, where it is installed: not the one within MPICH, but of the same sources.
class JsonC {
 public:
  JsonC() : library_(::dlopen("libjson-c.so.5", RTLD_NOW)) {
    if (library_ == nullptr) return;
    parse_ = reinterpret_cast<decltype(parse_)>(::dlsym(library_, "json_tokener_parse_verbose"));
    put_ = reinterpret_cast<decltype(put_)>(::dlsym(library_, "json_object_put"));
  }
  bool usable() const { return parse_ != nullptr && put_ != nullptr; }
  bool takes(const std::string& text) const {
    int error = 0;
    put_(parse_(text.c_str(), &error));
    return error == 0;
  }

 private:
  void* library_;
  void* (*parse_)(const char*, int*) = nullptr;
  int (*put_)(void*) = nullptr;
};

TEST(JsonReader, TakesWhatJsonCTakes) {
  const JsonC own;
  if (!own.usable()) GTEST_SKIP() << "no libjson-c.so.5 here";
  for (const DialectCase& one : kDialectCases) {
    // Version 0.16 no longer takes the blanks that MPICH's does.
    if (one.text[0] == '\v') continue;
    EXPECT_EQ(own.takes(one.text), one.json_c) << one.text;
  }
  constexpr const char* kPieces[] = {"{",       "}",     "[",       "]",        ",",     ":",
                                     "\"a\"",   "'b'",   "1",       "-2.5",     "null",  "TRUE",
                                     "nan",     "/*c*/", "//c\n",   "\n",       "x",     "01",
                                     "\"\\n\"", "/",     "\"a\":1", "\"b\":{}", "[1,2]", "'"};
  std::mt19937 random(5);
  int taken = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text = random() % 2 == 0 ? "{" : "[";
    for (std::size_t i = 1 + random() % 7; i > 0; --i)
      text += kPieces[random() % std::size(kPieces)];
    if (random() % 2 == 0) text += text[0] == '{' ? "}" : "]";
    text += "\n";  // behind a comment that ends with the file it takes what stands inside for all
    const bool theirs = own.takes(text);
    ASSERT_EQ(takes(text, JsonDialect::kJsonC), theirs) << text;
    taken += theirs ? 1 : 0;
  }
  EXPECT_GT(taken, 200);
}

TEST(JsonKinds, HaveNames) {
  for (const auto& [text, kind] : {std::pair{"null", "null"},
                                   {"false", "true or false"},
                                   {"1", "a number"},
                                   {"\"\"", "a string"},
                                   {"[]", "an array"},
                                   {"{}", "an object"}})
    EXPECT_EQ(name(Json::parse(text).kind()), kind);
}

}  // namespace
}  // namespace colltree
