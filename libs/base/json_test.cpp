// SPDX-License-Identifier: BSD-3-Clause
#include "base/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "base/test_scratch.h"

namespace colltree {

namespace {

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
  EXPECT_EQ(Json::parse("3").number(), 3.0);
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
  json["rows"][1]["x"] = 2;
  json["gone"] = 1;
  json.erase("gone");
  json.update({{"rows", json["rows"]}});
  EXPECT_EQ(json, Json::parse(R"({"rows": [{"x": 1}, {"x": 2}]})"));
  EXPECT_EQ(json["rows"].size(), 2U);
  std::uint64_t sum = 0;
  for (const Json& row : json["rows"]) sum += row["x"].natural();
  EXPECT_EQ(sum, 3U);
}

TEST(Json, WrongAccessSaysWhatItFound) {
  Json json = {{"text", "x"}, {"list", {1, 2, 3}}, {"minus", -1}, {"half", 0.5}};
  const Json& fixed = json;
  const struct {
    std::string said;
    std::string expected;
  } rows[] = {
      {error_of([&] { fixed["missing"]; }), "JSON: field 'missing' is missing"},
      {error_of([&] { json["text"].number(); }), "JSON: expected a number, got \"x\""},
      {error_of([&] { Json(1000).natural(255); }),
       "JSON: expected an integer from 0 to 255, got 1000"},
      {error_of([&] { json["list"].text(); }), "JSON: expected a text, got [1,2,3]"},
      {error_of([&] { json["half"].flag(); }), "JSON: expected true or false, got 0.5"},
      {error_of([&] { json["minus"].natural(); }), "JSON: expected an integer >= 0, got -1"},
      {error_of([&] { json["list"][3]; }), "JSON: a list of 3 has no element 3"},
      {error_of([&] { json["text"]["x"] = 1; }), "JSON: expected an object, got \"x\""},
      {error_of([&] { json["text"].push_back(1); }), "JSON: expected a list, got \"x\""},
      {error_of([&] { Json(std::string(60, 'y')).number(); }),
       "JSON: expected a number, got \"" + std::string(39, 'y') + "..."},
      {error_of([&] { Json("\xff").dump(); }),
       "cannot be written as JSON: a text in it is not UTF-8"},
  };
  for (const auto& row : rows) EXPECT_EQ(row.said, row.expected);
}

TEST(Json, TextIsWrittenAsItIsRead) {
  const std::string all = "\b\f\n\r\t\"\\/\x01\x1f\x7f\xc3\xa9\xf0\x9f\x98\x80";
  EXPECT_EQ(Json(all).dump(), R"("\b\f\n\r\t\"\\/\u0001\u001f)"
                              "\x7f\xc3\xa9\xf0\x9f\x98\x80\"");
  EXPECT_EQ(Json::parse(Json(all).dump()).text(), all);
}

TEST(Json, IndentedAsPeopleReadIt) {
  const Json json = {{"b", {1, Json::array()}}, {"a", Json::object()}};
  EXPECT_EQ(json.dump(2), "{\n  \"a\": {},\n  \"b\": [\n    1,\n    []\n  ]\n}");
  EXPECT_EQ(json.dump_in_order(0), "{\n\"b\": [\n1,\n[]\n],\n\"a\": {}\n}");
}

TEST(Json, NumbersAreShortestWithTheirPointNearby) {
  const struct {
    double value;
    const char* text;
  } rows[] = {{100000000000000, "100000000000000.0"},
              {1e15, "1e+15"},
              {123456789012345678.0, "1.2345678901234568e+17"},
              {0.0001, "0.0001"},
              {0.00012345, "0.00012345"},
              {0.00001, "1e-05"},
              {-1.5e-7, "-1.5e-07"},
              {5e-324, "5e-324"},
              {1.7976931348623157e308, "1.7976931348623157e+308"},
              {0.1 + 0.2, "0.30000000000000004"},
              {1234.5, "1234.5"}};
  for (const auto& row : rows) {
    EXPECT_EQ(Json(row.value).dump(), row.text);
    EXPECT_EQ(Json::parse(row.text).number(), row.value);
  }
}

const char* const kObject =
    R"({"text":"a b","count":7,"big":18446744073709551615,"minus":-1,"real":1.5,"whole":2.0,)"
    R"("huge":1e999,"flag":true,"list":[1,2,300],"mixed":[1,"x"],"object":{"in":1},"null":null,)"
    R"("escape":"a\u001bb","two":"a\nb","empty":"","small":-0.0})";

Json an_object() {
  std::string text = kObject;
  text.replace(text.find("1e999"), 5, "1e300");
  return Json::parse(text);
}

TEST(JsonFields, GiveWhatIsThere) {
  const Json object = an_object();
  EXPECT_EQ(json_string(object, "text"), "a b");
  EXPECT_EQ(json_string(object, "empty"), "");
  EXPECT_EQ(json_unsigned(object, "count"), 7U);
  EXPECT_EQ(json_unsigned(object, "count", 7), 7U);
  EXPECT_EQ(json_unsigned(object, "big"), UINT64_MAX);
  EXPECT_EQ(json_number(object, "real"), 1.5);
  EXPECT_EQ(json_number(object, "count"), 7);
  EXPECT_EQ(json_number(object, "minus"), -1);
  EXPECT_EQ(json_object(object, "object").size(), 1U);
  EXPECT_EQ(json_array(object, "list").size(), 3U);
  EXPECT_EQ(json_unsigned_list(object, "list"), (std::vector<std::uint64_t>{1, 2, 300}));
  EXPECT_TRUE(json_flag_or(object, "flag", false));
  EXPECT_TRUE(json_flag_or(object, "absent", true));
  EXPECT_EQ(json_string_or(object, "text", "x"), "a b");
  EXPECT_EQ(json_string_or(object, "absent", "x"), "x");
}

TEST(JsonFields, SayWhatTheyExpected) {
  const Json object = an_object();
  struct Case {
    std::function<void()> read;
    const char* error;
  };
  const Case cases[] = {
      {[&] { json_field(object, "absent"); }, "field 'absent' is missing"},
      {[&] { json_string(object, "absent"); }, "field 'absent' is missing"},
      {[&] { json_string(object, "count"); }, "'count' must be a string"},
      {[&] { json_string(object, "null"); }, "'null' must be a string"},
      {[&] { json_string(object, "escape"); },
       "'escape' holds a control character (0x1B); write plain text"},
      {[&] { json_string(object, "two"); },
       "'two' holds a control character (0x0A); write plain text"},
      {[&] { json_string_or(object, "list", ""); }, "'list' must be a string"},
      {[&] { json_unsigned(object, "minus"); }, "'minus' must be an integer >= 0, not -1"},
      {[&] { json_unsigned(object, "real"); }, "'real' must be an integer >= 0, not 1.5"},
      {[&] { json_unsigned(object, "whole"); }, "'whole' must be an integer >= 0, not 2.0"},
      {[&] { json_unsigned(object, "text"); }, "'text' must be an integer >= 0, not \"a b\""},
      {[&] { json_unsigned(object, "count", 6); }, "'count' must be an integer from 0 to 6, not 7"},
      {[&] { json_unsigned(object, "big", 6); },
       "'big' must be an integer from 0 to 6, not 18446744073709551615"},
      {[&] { json_number(object, "text"); }, "'text' must be a number"},
      {[&] { json_number(object, "flag"); }, "'flag' must be a number"},
      {[&] { json_flag_or(object, "count", true); }, "'count' must be true or false"},
      {[&] { json_object(object, "list"); }, "'list' must be an object"},
      {[&] { json_array(object, "object"); }, "'object' must be an array"},
      {[&] { json_unsigned_list(object, "mixed"); }, "'mixed' must be an integer >= 0, not \"x\""},
      {[&] { json_unsigned_list(object, "list", 299); },
       "'list' must be an integer from 0 to 299, not 300"},
  };
  for (const Case& one : cases) EXPECT_EQ(error_of(one.read), one.error);
}

TEST(JsonFields, AnErrorOfAnElementHasItsPlace) {
  const Json object = Json::parse(R"({"nodes":[{"n":1},{"n":2},{}]})");
  std::uint64_t sum = 0;
  EXPECT_EQ(error_of([&] {
              json_each(object, "nodes",
                        [&](const Json& node) { sum += json_unsigned(node, "n"); });
            }),
            "nodes[2]: field 'n' is missing");
  EXPECT_EQ(sum, 3U);
  const Json nested = Json::parse(R"({"a":[{"b":[1,-1]}]})");
  EXPECT_EQ(error_of([&] {
              json_each(nested, "a", [](const Json& one) {
                json_each(one, "b", [](const Json& b) { json_unsigned_value(b, "b"); });
              });
            }),
            "a[0]: b[1]: 'b' must be an integer >= 0, not -1");
}

}  // namespace

}  // namespace colltree
