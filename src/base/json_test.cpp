// SPDX-License-Identifier: BSD-3-Clause
#include "base/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace colltree {
namespace {

template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Json, BracesAreObjectsOfPairsAndElseLists) {
  const Json json = {
      {"one", 1}, {"list", {1, 2.5, "x"}}, {"inner", {{"yes", true}}}, {"no", nullptr}};
  EXPECT_EQ(json.dump(), R"({"inner":{"yes":true},"list":[1,2.5,"x"],"no":null,"one":1})");
  EXPECT_EQ(json.dump_in_order(), R"({"one":1,"list":[1,2.5,"x"],"inner":{"yes":true},"no":null})");
  EXPECT_EQ(Json({1, 2}).dump(), "[1,2]");
  EXPECT_EQ(Json::array({{"a", 1}, {"b", 2}}).dump(), R"([["a",1],["b",2]])");
  EXPECT_EQ(Json::object().dump() + Json::array().dump() + Json().dump(), "{}[]null");
  EXPECT_EQ(Json(std::vector<int>{3, 4}), Json::parse("[3, 4]"));
  EXPECT_EQ(Json(std::array<std::pair<std::string, double>, 1>{{{"x", 0.5}}}),
            Json::parse(R"([["x", 0.5]])"));
}

TEST(Json, NumbersKeepTheirKindAndAllTheirDigits) {
  for (const char* text :
       {"0", "-1", "9223372036854775807", "18446744073709551615", "-9223372036854775808", "0.1",
        "1e-300", "1.0", "-0.0", "12345678.9", "2.5e+20"}) {
    EXPECT_EQ(Json::parse(text).dump(), text);
  }
  EXPECT_EQ(Json(std::numeric_limits<double>::infinity()).dump(), "null");
  EXPECT_EQ(Json(std::nan("")).dump(), "null");
  EXPECT_TRUE(Json::parse("1.0").is_number_float());
  EXPECT_TRUE(Json(7).is_number_unsigned());
  EXPECT_FALSE(Json(-7).is_number_unsigned());
  EXPECT_EQ(Json(7), Json(7U));
  EXPECT_EQ(Json(7), 7.0);
  EXPECT_NE(Json(-1), Json(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_EQ(Json::parse("3").get<double>(), 3.0);
  EXPECT_EQ(Json::parse("3.9").get<int>(), 3);
}

TEST(Json, EqualWhateverTheOrderOfMembers) {
  EXPECT_EQ(Json::parse(R"({"a": 1, "b": [true, {"c": null}]})"),
            Json::parse(R"({"b": [true, {"c": null}], "a": 1.0})"));
  EXPECT_NE(Json::parse(R"({"a": 1})"), Json::parse(R"({"a": 1, "b": 1})"));
  EXPECT_NE(Json::parse(R"({"a": 1})"), Json::parse(R"({"b": 1})"));
  EXPECT_NE(Json::parse("[1, 2]"), Json::parse("[2, 1]"));
  EXPECT_NE(Json("1"), Json(1));
  EXPECT_NE(Json(true), Json(false));
}

TEST(Json, GrowsFromNull) {
  Json json;
  json["rows"].push_back({{"x", 1}});
  json["rows"].push_back(Json::object());
  json["rows"].back()["x"] = 2;
  json["gone"] = 1;
  json.erase("gone");
  json.update({{"rows", json["rows"]}});
  EXPECT_EQ(json, Json::parse(R"({"rows": [{"x": 1}, {"x": 2}]})"));
  json["rows"].push_back(3);
  json["rows"].erase(2);
  json["rows"].resize(1);
  EXPECT_EQ(json.at("rows").size(), 1U);
  int sum = 0;
  for (const Json& row : json["rows"]) sum += row.at("x").get<int>();
  EXPECT_EQ(sum, 1);
}

TEST(Json, LastOfEqualKeysCounts) {
  EXPECT_EQ(Json::parse(R"({"a": 1, "a": 2})").dump(), R"({"a":2})");
}

TEST(Json, WrongAccessSaysWhatItFound) {
  Json json = {{"text", "x"}, {"list", {1, 2, 3}}, {"minus", -1}, {"half", 0.5}};
  const Json& fixed = json;
  const struct {
    std::string said;
    std::string expected;
  } rows[] = {
      {error_of([&] { fixed.at("missing"); }), "JSON: field 'missing' is missing"},
      {error_of([&] { fixed["missing"]; }), "JSON: field 'missing' is missing"},
      {error_of([&] { json["text"].get<int>(); }), "JSON: expected a number, got \"x\""},
      {error_of([&] { json["list"].get<std::string>(); }), "JSON: expected a text, got [1,2,3]"},
      {error_of([&] { json["half"].get<bool>(); }), "JSON: expected true or false, got 0.5"},
      {error_of([&] { json["minus"].get<unsigned>(); }), "JSON: expected an integer >= 0, got -1"},
      {error_of([&] { json["list"].at(3); }), "JSON: a list of 3 has no element 3"},
      {error_of([&] { json["text"]["x"] = 1; }), "JSON: expected an object, got \"x\""},
      {error_of([&] { json["text"].push_back(1); }), "JSON: expected a list, got \"x\""},
      {error_of([&] { Json(std::string(60, 'y')).get<int>(); }),
       "JSON: expected a number, got \"" + std::string(39, 'y') + "..."},
      {error_of([&] { Json("\xff").dump(); }),
       "cannot be written as JSON: a text in it is not UTF-8"},
  };
  for (const auto& row : rows) EXPECT_EQ(row.said, row.expected);
}

TEST(Json, RefusesWhatIsNoJsonByItsPlace) {
  const struct {
    std::string text;
    std::size_t line;
    bool ends_early;
    const char* message;
  } rows[] = {
      {"", 1, true, "is not JSON"},
      {"{\"a\": 1,\n\"b\": [1, 2", 2, true, "is not JSON"},
      {"{\"a\": 1,\n b: 2}", 2, false, "is not JSON"},
      {"[1] 2", 1, false, "is not JSON"},
      {"[1e999]", 1, false, "holds a number that is too large"},
      {std::string(Json::kDeepest + 1, '['), 1, false, "is nested too deep"},
      {"\"\xff\"", 1, false, "is not JSON"},
  };
  for (const auto& row : rows) {
    EXPECT_FALSE(Json::try_parse(row.text).has_value());
    try {
      Json::parse(row.text);
      ADD_FAILURE() << row.text;
    } catch (const JsonSyntaxError& error) {
      EXPECT_STREQ(error.what(), row.message) << row.text;
      EXPECT_EQ(error.line, row.line) << row.text;
      EXPECT_EQ(error.ends_early, row.ends_early) << row.text;
    }
  }
  const std::string deep = std::string(Json::kDeepest, '[') + std::string(Json::kDeepest, ']');
  EXPECT_EQ(Json::parse(deep).dump(), deep);
}

}  // namespace
}  // namespace colltree
