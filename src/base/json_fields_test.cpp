// SPDX-License-Identifier: BSD-3-Clause
// Fields of JSON that people edit: what each reader takes, and the words with which it refuses.
#include "base/json_fields.h"

#include <gtest/gtest.h>

#include "base/test_scratch.h"

namespace colltree {
namespace {

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
