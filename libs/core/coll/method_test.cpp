// SPDX-License-Identifier: BSD-3-Clause
#include "coll/method.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace colltree {
namespace {

TEST(Method, LabelsAsInThePapers) {
  EXPECT_EQ((Method{"linear", 0}.label()), "Linear_0K");
  EXPECT_EQ((Method{"split_binary", 1024}.label()), "SplitBinary_1K");
  EXPECT_EQ((Method{"basic_linear", std::nullopt}.label()), "basic_linear");
  EXPECT_EQ((Method{"ring", 1500}.label()), "Ring_1500B");
  EXPECT_EQ((Method{"split_binary", 1024, {.fanout = 4}}.label()), "SplitBinary@fanout=4_1K");
  EXPECT_EQ((Method{"chain", std::nullopt, {.fanout = 4}}.label()), "chain@fanout=4");
}

TEST(Method, NamesOfUsersStayAsTheyAre) {
  EXPECT_EQ((Method{"rd", 0}.label()), "rd");
  EXPECT_EQ((Method{"my_ring", 8192}.label()), "my_ring_8K");
  EXPECT_EQ((Method{"ext:Fast", 0, {.radix = 4}}.label()), "ext:Fast@radix=4");
}

TEST(Method, ParametersHaveTheirPlacesInTheName) {
  const Method method = parse_method_name("ompi:chain@fanout=4@radix=8@requests=16", 1024);
  EXPECT_EQ(method, (Method{"ompi:chain", 1024, {.fanout = 4, .radix = 8, .requests = 16}}));
  EXPECT_EQ(method.name(), "ompi:chain@fanout=4@radix=8@requests=16");
  EXPECT_EQ(parse_method_name("linear"), (Method{"linear", std::nullopt}));
  EXPECT_EQ(parse_method_name("linear_sync@requests=18446744073709551615").parameters.requests,
            UINT64_MAX);
}

TEST(Method, EveryNameIsWrittenAsItWasRead) {
  for (const char* name :
       {"", "@", "a@", "@fanout=4", "chain@", "chain@fan=4", "chain@fanout",
        "chain@fanout=", "chain@fanout=0", "chain@fanout=04", "chain@fanout=+4", "chain@fanout=4@",
        "chain@@fanout=4", "chain@radix=2@fanout=4", "chain@fanout=2@fanout=4",
        "chain@fanout=18446744073709551616", "x@gpu", "default@radix=2", "chain@fanout=4:x"}) {
    EXPECT_EQ(parse_method_name(name).name(), name);
    EXPECT_EQ(parse_method_name(name).parameters, MethodParameters{}) << name;
  }
  // Of a source's name nothing is read.
  EXPECT_EQ(parse_method_name("x@y:chain@radix=2"),
            (Method{"x@y:chain", std::nullopt, {.radix = 2}}));
}

// Whoever need not write the name again takes parameters in any order.
TEST(Method, NamesAreReadInAnyOrder) {
  const MethodName read = read_method_name("knomial@requests=4@radix=08");
  EXPECT_EQ(read.algorithm, "knomial");
  EXPECT_EQ(read.parameters, (MethodParameters{.radix = 8, .requests = 4}));
  EXPECT_FALSE(read.unknown);
  EXPECT_EQ(read_method_name("knomial@radix=8@width=2@x").unknown, "width=2");
  EXPECT_EQ(read_method_name("knomial@").unknown, "");
}

TEST(Method, TheSourceIsNoPartOfTheAlgorithm) {
  EXPECT_EQ(without_source("ompi:linear_synch"), "linear_synch");
  EXPECT_EQ(without_source("linear"), "linear");
  EXPECT_EQ(without_source("a:b:c"), "b:c");
}

// The order of methods in models, pictures and lists: that of their names, as text.
TEST(Method, AreOrderedByNameThenSegment) {
  const std::vector<Method> sorted = {
      parse_method_name("chain"),          parse_method_name("chain", 0),
      parse_method_name("chain", 1024),    parse_method_name("chain2", 0),
      parse_method_name("chain2@radix=2"), parse_method_name("chain@fanout=16", 0),
      parse_method_name("chain@fanout=2"), parse_method_name("chain@fanout=2", 1024),
      parse_method_name("chain@radix=2"),  parse_method_name("chain@requests=1", 8),
      parse_method_name("chain_x"),        parse_method_name("ompi:chain")};
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    for (std::size_t j = 0; j < sorted.size(); ++j) {
      EXPECT_EQ(sorted[i] <=> sorted[j], i <=> j) << sorted[i].label() << " " << sorted[j].label();
    }
  }
}

TEST(MethodName, EndsInTheSettingOfTheJob) {
  const Method chain{"chain", 8192, {.fanout = 4}};
  const Method there = under_setting(chain, "tcp");
  EXPECT_EQ(there.name(), "chain@fanout=4@setting=tcp");
  EXPECT_EQ(parse_method_name(there.name(), 8192), there);
  EXPECT_EQ(setting_of(there), "tcp");
  EXPECT_EQ(without_setting(there), chain);
  EXPECT_EQ(under_setting(chain, ""), chain);
  EXPECT_EQ(setting_of(chain), "");
  EXPECT_EQ(without_setting(chain), chain);
  EXPECT_FALSE(is_library_default(under_setting(library_default(), "tcp")));
  EXPECT_TRUE(is_library_default(without_setting(under_setting(library_default(), "tcp"))));
}

}  // namespace
}  // namespace colltree
