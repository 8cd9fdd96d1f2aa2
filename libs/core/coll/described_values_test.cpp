// SPDX-License-Identifier: BSD-3-Clause
#include "coll/described_values.h"

#include <gtest/gtest.h>

#include <vector>

namespace colltree {
namespace {

using Values = std::map<int, std::string>;

// As MPICH 4.2.1 says it: what stood at 4 in 4.0.2 (ring) is at 5.
TEST(DescribedValues, OfLines) {
  const char* const text =
      "Variable to select allgather algorithm\n"
      "auto - Internal algorithm selection (can be overridden with MPIR_CVAR_X)\n"
      "brucks             - Force brucks algorithm\n"
      "k_brucks           - Force brucks algorithm - with radix\n"
      "nb                 - Force nonblocking algorithm\n"
      "recursive_doubling - Force recursive doubling algorithm\n"
      "ring               - Force ring algorithm";
  EXPECT_EQ(described_values(text, {}), (Values{{0, "auto"},
                                                {1, "brucks"},
                                                {2, "k_brucks"},
                                                {3, "nb"},
                                                {4, "recursive_doubling"},
                                                {5, "ring"}}));
}

// As MPICH 4.0.2 says it. A name that is not known is left out, whatever it ends with.
TEST(DescribedValues, WithoutLineBreaks) {
  const std::vector<std::string_view> known = {"ring", "sched_ring", "tsp_ring", "brucks"};
  EXPECT_EQ(described_values("Variable to select iallgather algorithmauto - Internal algorithm "
                             "selection (can be overridden with MPIR_CVAR_X)sched_auto - Internal "
                             "algorithm selection for sched-based algorithmssched_ring        - "
                             "Force ring algorithmk_brucks - Force a new onetsp_ring - Force ring",
                             known),
            (Values{{2, "sched_ring"}, {4, "tsp_ring"}}));
  EXPECT_EQ(described_values("by the user.error   - throw an errorprint   - print itsilent  - ",
                             std::vector<std::string_view>{"error"}),
            (Values{{0, "error"}}));
}

TEST(DescribedValues, ProseHasNone) {
  EXPECT_TRUE(described_values("the short message algorithm will be used", {}).empty());
  EXPECT_TRUE(described_values("", {}).empty());
}

}  // namespace
}  // namespace colltree
