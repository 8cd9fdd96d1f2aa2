// SPDX-License-Identifier: BSD-3-Clause
// Who takes part in exchanges by powers of two, for every number of ranks to 200 and every rank
// that must take part; compiled with the stand-in of <mpi.h> of tests/schedules, no message is
// sent.
#include "algorithms/power_group.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace colltree::algorithms {
namespace {

constexpr int kMostRanks = 200;

// The ranks that members stand for are all ranks, in order, two at most, the member among them.
void expect_shared_out(int size, int members, int kept,
                       const std::function<PowerGroup(int rank)>& group_of) {
  const PowerGroup any = group_of(0);
  ASSERT_EQ(any.members(), members);
  int next = 0;
  std::set<int> taking_part;
  for (int member = 0; member < members; ++member) {
    const int first = any.first_rank(member);
    const int end = any.first_rank(member + 1);
    ASSERT_EQ(first, next) << size;
    ASSERT_LE(end - first, 2);
    ASSERT_GE(end - first, 1);
    const int rank = any.rank_of(member);
    ASSERT_TRUE(rank >= first && rank < end) << size << " member " << member;
    ASSERT_EQ(group_of(rank).member(), member);
    taking_part.insert(rank);
    for (int other = first; other < end; ++other) {
      const PowerGroup group = group_of(other);
      ASSERT_EQ(group.member_of(other), member);
      if (other != rank) {
        ASSERT_EQ(group.member(), kNoMember);
      }
      ASSERT_EQ(group.pair(), end - first == 1 ? -1 : other == first ? first + 1 : first);
    }
    next = end;
  }
  ASSERT_EQ(next, size);
  ASSERT_EQ(taking_part.size(), static_cast<std::size_t>(members));
  if (kept >= 0) {
    ASSERT_TRUE(taking_part.contains(kept)) << size << " kept " << kept;
  }
}

TEST(PowerGroup, SharesOutTheRanks) {
  for (int size = 1; size <= kMostRanks; ++size) {
    int members = 1;
    while (2 * members <= size) members *= 2;
    for (int kept = -1; kept < size; kept += kept < 8 ? 1 : 17)
      expect_shared_out(size, members, kept,
                        [&](int rank) { return PowerGroup(size, rank, kept); });
  }
}

TEST(PowerGroup, OfAnyNumberOfMembersFromHalfOfTheRanks) {
  for (int size = 1; size <= 60; ++size) {
    for (int members = (size + 1) / 2; members <= size; ++members)
      expect_shared_out(size, members, -1,
                        [&](int rank) { return PowerGroup::with_members(members, size, rank); });
  }
}

}  // namespace
}  // namespace colltree::algorithms
