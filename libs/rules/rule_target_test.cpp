// SPDX-License-Identifier: BSD-3-Clause
#include "rules/rule_target.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "rules/rule_set.h"

namespace colltree::rules {
namespace {

TEST(RuleTarget, TheInstalledLibraryTellsItsFormat) {
  const auto of = [](std::string_view mpi) { return std::string(rule_target_of(mpi).name); };
  EXPECT_EQ(of("openmpi-4.1.4"), "openmpi-4.1");
  EXPECT_EQ(of("openmpi-5.0.6"), "openmpi-4.1");
  EXPECT_EQ(of("openmpi-5.0.10rc1"), "openmpi-5.0.7");
  EXPECT_EQ(of("mpich-4.0.2"), "mpich-4.0");
  EXPECT_EQ(of("mpich-4.1.3"), "mpich-4.1");
  EXPECT_EQ(of("mpich-4.2.1"), "mpich-4.2");
  EXPECT_EQ(of("mpich-4.3"), "mpich-4.3");
  EXPECT_EQ(of("mpich-5.0.2"), "mpich-5.0");
  EXPECT_THROW(of("mpich-5.1.0"), Error) << "newer than known";
  EXPECT_THROW(of("openmpi-6.0.0a1"), Error);
  EXPECT_THROW(of("mpich-3.4.3"), Error);
  EXPECT_THROW(of("openmpi-3.1.6"), Error);
  EXPECT_EQ(of("intel-2021.19.0"), "intel-tuning");
  EXPECT_THROW(of("intel-2022.1"), Error) << "newer than known";
  EXPECT_THROW(of("mpich"), Error) << "no version";
}

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
}  // namespace colltree::rules
