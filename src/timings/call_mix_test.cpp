// SPDX-License-Identifier: BSD-3-Clause
#include "timings/call_mix.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace colltree {
namespace {

constexpr const char* kHeader = "collective,communicator_size,message_size,calls\n";

TEST(CallMix, ReadsLines) {
  const auto mix =
      parse_call_mix(std::string(kHeader) + "bcast,16,64K,1000\r\nreduce,2,8,2.5\n", "f");
  ASSERT_EQ(mix.size(), 2U);
  EXPECT_EQ(mix[0].instance, (Instance{Collective::kBcast, 16, 65536}));
  EXPECT_EQ(mix[0].calls, 1000);
  EXPECT_EQ(mix[1].calls, 2.5);
}

TEST(CallMix, MistakesHaveTheirLine) {
  struct Case {
    std::string content;
    const char* error;
  };
  const std::string header = kHeader;
  const Case cases[] = {
      {"a,b\n", "f:1: expected collective,communicator_size,message_size,calls, got 'a,b'"},
      {header + "bcats,2,2,2\n", "f:2: expected a collective, got 'bcats'"},
      {header + "bcast,2,2\n", "f:2: expected 4 fields, got 'bcast,2,2'"},
      {header + "\nbcast,x,2,2\n", "f:3: expected a communicator size, got 'x'"},
      {header + "bcast,2,2,0\n", "f:2: expected a number of calls above 0, got '0'"},
      {header, "f:2: the mix holds no calls"},
  };
  for (const Case& one : cases) {
    try {
      parse_call_mix(one.content, "f");
      ADD_FAILURE() << one.error;
    } catch (const ParseError& error) {
      EXPECT_STREQ(error.what(), one.error);
    }
  }
}

}  // namespace
}  // namespace colltree
