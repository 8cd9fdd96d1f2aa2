// SPDX-License-Identifier: BSD-3-Clause
// Declarations of every form: what they take, what they say they expect, and how they come back
// from words and from M.json.
#include "model/parameters.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "base/test_scratch.h"

namespace colltree::model {
namespace {

bool is_colour(std::string_view word) { return word == "red" || word == "green"; }

const Parameter kDeclared[] = {
    flag("strict", "is_strict", "refuses more"),
    required(whole("depth", "3", {1, 100}, "of the tree", "none")),
    whole("leaves", "auto", {2, 50}, "of the tree", "auto"),
    real("share", "0.5", {0, 1}, "of the points"),
    single("confidence", "confidence_level", "25", {0.001, 100, true}, "in percent"),
    word("colour", "red", is_colour, "red or green", "of the line")};
constexpr std::size_t kStrict = 0, kDepth = 1, kLeaves = 2, kShare = 3, kConfidence = 4,
                      kColour = 5;

TEST(Parameters, StandAsDeclaredWhereNothingIsSaid) {
  const Parameters values(kDeclared);
  EXPECT_FALSE(values.flag("strict"));
  EXPECT_EQ(values.whole("depth"), 3U);
  EXPECT_FALSE(values.whole("leaves").has_value());
  EXPECT_EQ(values.real("share"), 0.5);
  EXPECT_EQ(values.word("colour"), "red");
  EXPECT_EQ(values.declared().size(), 6U);
  EXPECT_THROW(values.flag("sloppy"), std::logic_error);
  const Parameter bad[] = {whole("depth", "200", {1, 100}, "")};
  EXPECT_THROW(Parameters{bad}, std::logic_error);
}

TEST(Parameters, TakeTheirWordsAndNoOthers) {
  struct Case {
    std::size_t parameter;
    const char* text;
    const char* read_as;  // nullptr: refused, and nothing changes
  };
  const Case cases[] = {{kStrict, "true", "true"},
                        {kStrict, "false", "false"},
                        {kStrict, "1", nullptr},
                        {kStrict, "", nullptr},
                        {kDepth, "1", "1"},
                        {kDepth, "100", "100"},
                        {kDepth, "none", "none"},
                        {kDepth, "0", nullptr},
                        {kDepth, "101", nullptr},
                        {kDepth, "auto", nullptr},
                        {kDepth, "3.0", nullptr},
                        {kDepth, "-1", nullptr},
                        {kLeaves, "auto", "auto"},
                        {kLeaves, "none", nullptr},
                        {kLeaves, "2", "2"},
                        {kShare, "0", "0"},
                        {kShare, "1", "1"},
                        {kShare, "0.1", "0.1"},
                        {kShare, "1.01", nullptr},
                        {kShare, "nan", nullptr},
                        {kShare, "half", nullptr},
                        {kConfidence, "0.1", "0.1"},
                        {kConfidence, "100", "100"},
                        {kConfidence, "0", nullptr},
                        {kConfidence, "inf", nullptr},
                        {kColour, "green", "green"},
                        {kColour, "blue", nullptr},
                        {kColour, "", nullptr}};
  for (const Case& one : cases) {
    Parameters values(kDeclared);
    const Parameter& parameter = kDeclared[one.parameter];
    const std::string before = values.text(parameter);
    EXPECT_EQ(values.set(parameter, one.text), one.read_as != nullptr)
        << parameter.name << "=" << one.text;
    EXPECT_EQ(values.text(parameter), one.read_as == nullptr ? before : one.read_as);
  }
}

TEST(Parameters, ASingleIsWhatFloat32Holds) {
  Parameters values(kDeclared);
  ASSERT_TRUE(values.set(kDeclared[kConfidence], "0.1"));
  EXPECT_EQ(values.real("confidence"), static_cast<double>(0.1F));
  EXPECT_NE(values.real("confidence"), 0.1);
  ASSERT_TRUE(values.set(kDeclared[kShare], "0.1"));
  EXPECT_EQ(values.real("share"), 0.1);
}

TEST(Parameters, SayWhatTheyExpect) {
  const char* expected[] = {"true or false",
                            "a whole number from 1 to 100 or none",
                            "a whole number from 2 to 50 or auto",
                            "a number from 0 to 1",
                            "a number above 0.001, at most 100",
                            "red or green"};
  for (std::size_t i = 0; i < std::size(kDeclared); ++i)
    EXPECT_EQ(expected_text(kDeclared[i]), expected[i]) << kDeclared[i].name;
}

TEST(Parameters, ComeBackFromJson) {
  Parameters values(kDeclared);
  for (const auto& [parameter, text] : {std::pair{kStrict, "true"},
                                        {kDepth, "none"},
                                        {kLeaves, "17"},
                                        {kShare, "0.3"},
                                        {kConfidence, "0.7"},
                                        {kColour, "green"}})
    ASSERT_TRUE(values.set(kDeclared[parameter], text));
  const Json json = to_json(values);
  EXPECT_TRUE(json["depth"].is_null());
  EXPECT_EQ(json["is_strict"], Json(true));
  EXPECT_EQ(json["leaves"], Json(17U));
  EXPECT_EQ(json.size(), 6U);
  const Parameters read = read_parameters(kDeclared, json);
  for (const Parameter& one : kDeclared) {
    EXPECT_EQ(read.text(one), values.text(one));
    EXPECT_EQ(read.value(one), values.value(one)) << one.name;
  }
  const Parameters plain = read_parameters(kDeclared, to_json(Parameters(kDeclared)));
  EXPECT_EQ(plain.text(kDeclared[kLeaves]), "auto");
}

TEST(Parameters, WhatIsWrongInJsonIsNamed) {
  struct Case {
    const char* json;
    const char* error;
  };
  const Case cases[] = {
      {R"({})", "'depth' is missing"},
      {R"({"depth":"3"})", "'depth' must be a whole number from 1 to 100 or none, not \"3\""},
      {R"({"depth":1.5})", "'depth' must be a whole number from 1 to 100 or none, not 1.5"},
      {R"({"depth":0})", "'depth' must be a whole number from 1 to 100 or none, not 0"},
      {R"({"depth":-3})", "'depth' must be a whole number from 1 to 100 or none, not -3"},
      {R"({"depth":[3]})", "'depth' must be a whole number from 1 to 100 or none, not [3]"},
      {R"({"depth":3,"leaves":null})",
       "'leaves' must be a whole number from 2 to 50 or auto, not null"},
      {R"({"depth":3,"is_strict":1})", "'is_strict' must be true or false, not 1"},
      {R"({"depth":3,"is_strict":"true"})", "'is_strict' must be true or false, not \"true\""},
      {R"({"depth":3,"share":"0.5"})", "'share' must be a number from 0 to 1, not \"0.5\""},
      {R"({"depth":3,"share":2})", "'share' must be a number from 0 to 1, not 2"},
      {R"({"depth":3,"colour":"blue"})", "'colour' must be red or green, not \"blue\""},
      {R"({"depth":3,"colour":7})", "'colour' must be red or green, not 7"}};
  for (const Case& one : cases)
    EXPECT_EQ(error_of([&] { read_parameters(kDeclared, Json::parse(one.json)); }), one.error)
        << one.json;
  // More than is declared is a later version's; null is "none" where there is such a word.
  EXPECT_FALSE(read_parameters(kDeclared, Json::parse(R"({"depth":null,"age":9})")).whole("depth"));
}

}  // namespace
}  // namespace colltree::model
