// SPDX-License-Identifier: BSD-3-Clause
#include "release8/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"
#include "base/test_scratch.h"

namespace colltree::c45 {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kNames =
    "Linear, Binomial.\n\ncoll: Bcast, Reduce.\nsize: continuous.\nhost: ignore.\n";

// The first thing said about a pair of files, fatal or not; "" when they are read without a word.
std::string complaint(const std::string& names, const std::string& data) {
  Problems problems;
  try {
    Schema schema = parse_names(names, "t.names", problems);
    parse_cases(data, "t.data", schema, problems);
  } catch (const ParseError& error) {
    return problems.empty() ? error.what() : problems.front();
  }
  return problems.empty() ? "" : problems.front();
}

struct Malformed {
  std::string names;
  std::string data;
  std::string complaint;
};

const Malformed kMalformed[] = {
    // .names
    {"", "", "t.names:1: expected the list of classes, got the end of the file"},
    {"| only a comment\n\n", "",
     "t.names:3: expected the list of classes, got the end of the file"},
    {"A, B,\n", "", "t.names:2: expected a class after ',', got the end of the file"},
    {"A, , B.\nx: continuous.\n", "", "t.names:1: expected a class, got ','"},
    {"A, B, A.\nx: continuous.\n", "", "t.names:1: class 'A' is declared twice"},
    {"x: continuous.\n", "", "t.names:1: expected the list of classes, got attribute 'x'"},
    {"A, B.\n", "", "t.names:2: no attribute: expected 'name: continuous.' or a list of values"},
    {"A, B.\nx, continuous.\n", "", "t.names:2: expected ':' after attribute name 'x'"},
    {"A, B.\n\nx continuous.\n", "", "t.names:3: expected ':' after attribute name 'x continuous'"},
    {"A, B.\nx:\n", "", "t.names:3: expected the values of attribute 'x', got the end of the file"},
    {"A, B.\n: continuous.\n", "", "t.names:2: expected a attribute name, got ':'"},
    {"A, B.\nx: continuous.\nx: continuous.\n", "", "t.names:3: attribute 'x' is declared twice"},
    {"A, B.\nx: u, v, u.\n", "", "t.names:2: value of attribute 'x' 'u' is declared twice"},
    {"A, B.\nx: u, , v.\n", "", "t.names:2: expected a value of attribute 'x', got ','"},
    {"A, B.\nx: u.\n", "",
     "t.names:2: attribute 'x' has only one value ('u'), treated as continuous"},
    {"A, B.\nx: continuous.", "",
     "t.names:2: attribute 'x' has only one value (the last '.' needs a newline behind it), "
     "treated "
     "as continuous"},
    {"A, B.\nx: discrete.\n", "",
     "t.names:2: attribute 'x': expected 'discrete n' with n of 2 or more, got 'discrete'"},
    {"A, B.\nx: discrete 1.\n", "",
     "t.names:2: attribute 'x': expected 'discrete n' with n of 2 or more, got 'discrete 1'"},
    {"A, B.\nx: discrete many.\n", "",
     "t.names:2: attribute 'x': expected 'discrete n' with n of 2 or more, got 'discrete many'"},
    {"A, B.\r\nx: continuous.\r\n", "",
     "t.names:1: carriage return: convert the file to Unix line ends"},
    {std::string("A, B\0.\nx: continuous.\n", 22), "",
     "t.names:1: zero byte: this is not a text file"},
    // .data
    {kNames, "Bcast, 1, h, Linaer\n",
     "t.data:1: expected a class, got 'Linaer'; did you mean 'Linear'?"},
    {kNames, "Bcast, 1, h, Linear\nBcast, 1, h, ?\n", "t.data:2: expected a class, got '?'"},
    {kNames, "Bcats, 1, h, Linear\n",
     "t.data:1: expected a value of attribute 'coll', got 'Bcats'; did you mean 'Bcast'?"},
    {kNames, "Bcast, one, h, Linear\n",
     "t.data:1: expected a number for attribute 'size', got 'one'"},
    {kNames, "\n| comment\nBcast, 1K, h, Linear\n",
     "t.data:3: expected a number for attribute 'size', got '1K'"},
    {kNames, "Bcast, nan, h, Linear\n",
     "t.data:1: expected a number for attribute 'size', got 'nan'"},
    {kNames, "Bcast, 1, h, Linear\r\n",
     "t.data:1: carriage return: convert the file to Unix line ends"},
    {kNames, "Bcast, 1, h\n", "t.data:1: expected a class, got the end of the file"},
    {kNames, "Bcast\n", "t.data:1: expected a value of attribute 'size', got the end of the file"},
    {kNames, "Bcast, 1, h\nReduce, 2, h, Linear\n", "t.data:2: expected a class, got 'Reduce'"},
    {kNames, "Bcast, 1, h, Linear, extra\nBcast, 1, h, Linear\n",
     "t.data:1: expected a value of attribute 'coll', got 'extra'"},
    {kNames, "Bcast, , h, Linear\n", "t.data:1: expected a number for attribute 'size', got ''"},
    {"A, B.\nx: discrete 2.\n", "u, A\nv, B\nw, A\n",
     "t.data:3: attribute 'x' has more than 2 values, got 'w'"},
};

TEST(C45Reader, MalformedInputIsNamedWithLineAndReason) {
  EXPECT_GE(std::size(kMalformed), 30U);
  for (const Malformed& one : kMalformed) {
    EXPECT_EQ(complaint(one.names, one.data), one.complaint) << one.names << "---\n" << one.data;
  }
}

TEST(C45Reader, TheEleventhErrorEndsTheReading) {
  std::string data;
  for (int i = 0; i < 10; ++i) data += "Bcast, 1, h, Nothing\n";
  Problems problems;
  Schema schema = parse_names(kNames, "t.names", problems);
  EXPECT_EQ(parse_cases(data, "t.data", schema, problems).size(), 10U);
  EXPECT_EQ(problems.size(), 10U);
  problems.clear();
  EXPECT_THROW(parse_cases(data + "Bcast, 1, h, Nothing\n", "t.data", schema, problems),
               ParseError);
  EXPECT_EQ(problems.size(), 11U);
}

TEST(C45Reader, WordsFollowRelease8) {
  Problems problems;
  Schema schema = parse_names(
      "Class A,  Class\\,B , v1.0 class.   | trailing\n\n coll  type : B\\:cast,   Re  duce, x.y.z "
      ".\n"
      "size:\tcontinuous.\n",
      "t.names", problems);
  EXPECT_THAT(schema.classes, ElementsAre("Class A", "Class,B", "v1.0 class"));
  EXPECT_EQ(schema.attributes[0].name, "coll type");
  EXPECT_THAT(schema.attributes[0].values, ElementsAre("B:cast", "Re duce", "x.y.z"));
  const Cases cases =
      parse_cases("B\\:cast, 0x10, Class A.\n ?, -1e-3 ,Class\\,B\nx.y.z,?,Class   A", "t.data",
                  schema, problems);
  EXPECT_THAT(cases.values[0], ElementsAre(1U, kUnknownValue, 3U));
  EXPECT_THAT(cases.numbers[1], ElementsAre(16.0F, -1e-3F, kUnknownNumber));
  EXPECT_THAT(cases.label, ElementsAre(0U, 1U, 0U));
  EXPECT_TRUE(problems.empty());
}

// "discrete n" takes its values from the data, then from the test file.
TEST(C45Reader, OpenValuesAreNumberedAsTheyAppear) {
  Problems problems;
  Schema schema = parse_names("A, B.\nx: discrete 5.\n", "t.names", problems);
  EXPECT_THAT(parse_cases("v, A\nu, B\nv, A\n", "t.data", schema, problems).values[0],
              ElementsAre(1U, 2U, 1U));
  EXPECT_THAT(parse_cases("w, A\nu, B\n", "t.test", schema, problems).values[0],
              ElementsAre(3U, 2U));
}

// Release 8 prints "Too many values" and exits: there is no case to go on with.
TEST(C45Reader, OneValueTooManyEndsTheReading) {
  Problems problems;
  Schema schema = parse_names("A, B.\nx: discrete 2.\n", "t.names", problems);
  EXPECT_THROW(parse_cases("u, A\nv, B\nw, A\n", "t.data", schema, problems), ParseError);
  Schema tested = parse_names("A, B.\nx: discrete 2.\n", "t.names", problems);
  parse_cases("u, A\nv, B\n?, A\n", "t.data", tested, problems);
  EXPECT_THROW(parse_cases("u, A\nw, B\n", "t.test", tested, problems), ParseError);
  EXPECT_TRUE(problems.empty());
}

TEST(C45Reader, AByteOrderMarkIsPassedOver) {
  const std::string stem = fresh_path("marked").string();
  write_file(stem + ".names", "\xEF\xBB\xBFyes, no.\nA: continuous.\n");
  write_file(stem + ".data",
             "\xEF\xBB\xBF"
             "1, yes\n2, no\n");
  Problems problems;
  EXPECT_EQ(read_dataset(stem, problems).cases.size(), 2U);
  EXPECT_TRUE(problems.empty());
}

TEST(C45Reader, ProblemsKeepRelease8sStandIns) {
  Problems problems;
  Schema schema = parse_names(kNames, "t.names", problems);
  const Cases cases = parse_cases("Bcats, 3.x, h, Nothing\n", "t.data", schema, problems);
  EXPECT_EQ(problems.size(), 3U);
  EXPECT_EQ(cases.values[0][0], kUnknownValue);
  EXPECT_EQ(cases.numbers[1][0], 3.0F);
  EXPECT_EQ(cases.label[0], 0U);
}

}  // namespace
}  // namespace colltree::c45
