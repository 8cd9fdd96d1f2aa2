// SPDX-License-Identifier: BSD-3-Clause
#include "emit/rules/rule_set.h"

#include <gtest/gtest.h>

namespace colltree {
namespace {

// MPICH's reduce_scatter noncommutative wants equal blocks: its guard fails for 101 bytes on 2
// ranks.
TEST(UsualFacts, BlocksOfATotalAreEqualWhereRanksDivideIt) {
  const auto regular = [](Collective collective, std::uint64_t ranks, std::uint64_t bytes) {
    return (usual_facts({collective, ranks, bytes}) & kRegularBlocks) != 0;
  };
  EXPECT_TRUE(regular(Collective::kReduceScatter, 2, 100));
  EXPECT_FALSE(regular(Collective::kReduceScatter, 2, 101));
  EXPECT_FALSE(regular(Collective::kReduceScatter, 4, 2));
  EXPECT_TRUE(regular(Collective::kReduceScatter, 4, 0));
  EXPECT_TRUE(regular(Collective::kAllgatherv, 2, 101));
}

}  // namespace
}  // namespace colltree
