// SPDX-License-Identifier: BSD-3-Clause
// Bine trees and butterflies as their description says, built anew from "who reaches whom".
#include "algorithms/bine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <vector>

namespace colltree {
namespace {

constexpr int kSizes[] = {1, 2, 4, 8, 16, 32, 64, 128};

std::set<int> of_arc(Arc arc, int size) {
  std::set<int> ranks;
  for (int i = 0; i < arc.count; ++i) ranks.insert((arc.first + i) % size);
  return ranks;
}

TEST(Bine, PartnersOfAStepArePairs) {
  for (const int size : kSizes) {
    const Bine bine(size);
    EXPECT_EQ(1 << bine.steps(), size);
    for (int step = 0; step < bine.steps(); ++step) {
      for (int rank = 0; rank < size; ++rank) {
        const int partner = bine.partner(rank, step);
        ASSERT_GE(partner, 0);
        ASSERT_LT(partner, size);
        ASSERT_NE(partner % 2, rank % 2) << size;
        ASSERT_EQ(bine.partner(partner, step), rank) << size << " step " << step;
      }
    }
  }
}

// After all steps everybody has met everybody, whichever way the steps are gone.
TEST(Bine, AButterflyBringsAllToAll) {
  for (const int size : kSizes) {
    const Bine bine(size);
    for (const bool forwards : {true, false}) {
      std::vector<std::set<int>> held(static_cast<std::size_t>(size));
      for (int rank = 0; rank < size; ++rank) held[static_cast<std::size_t>(rank)] = {rank};
      for (int i = 0; i < bine.steps(); ++i) {
        const int step = forwards ? i : bine.steps() - 1 - i;
        std::vector<std::set<int>> next = held;
        for (int rank = 0; rank < size; ++rank) {
          const auto& other = held[static_cast<std::size_t>(bine.partner(rank, step))];
          next[static_cast<std::size_t>(rank)].insert(other.begin(), other.end());
        }
        held = next;
      }
      for (const std::set<int>& one : held) ASSERT_EQ(one.size(), static_cast<std::size_t>(size));
    }
  }
}

TEST(Bine, WhatAStepReachesIsOneArcHalfTheOneBefore) {
  for (const int size : kSizes) {
    const Bine bine(size);
    for (int rank = 0; rank < size; ++rank) {
      // From the last step backwards, as the definition does.
      std::set<int> reached = {rank};
      ASSERT_EQ(of_arc(bine.reached(rank, bine.steps()), size), reached);
      for (int step = bine.steps() - 1; step >= 0; --step) {
        const std::set<int> others = of_arc(bine.reached(bine.partner(rank, step), step + 1), size);
        for (const int other : others) ASSERT_FALSE(reached.contains(other)) << size;
        reached.insert(others.begin(), others.end());
        const Arc arc = bine.reached(rank, step);
        ASSERT_EQ(arc.count, size >> step);
        ASSERT_GE(arc.first, 0);
        ASSERT_LT(arc.first, size);
        ASSERT_EQ(of_arc(arc, size), reached) << size << " rank " << rank << " step " << step;
      }
    }
  }
}

TEST(Bine, DistancesAreAboutAThirdOfWhatIsLeft) {
  for (const int size : {64, 512}) {
    const Bine bine(size);
    for (int step = 0; step < bine.steps(); ++step) {
      const int left = size >> step;
      const int up = bine.partner(0, step);
      const int distance = std::min(up, size - up);
      EXPECT_LE(std::abs(3 * distance - left), 2) << size << " step " << step;
    }
  }
}

TEST(BineTree, IsTheOrderInWhichTheRootsMessageArrives) {
  for (const int size : kSizes) {
    const Bine bine(size);
    std::vector<int> joined(static_cast<std::size_t>(size), -2);  // step; -1: the root
    std::vector<int> parent(static_cast<std::size_t>(size), kNoRank);
    joined[0] = -1;
    std::set<int> inside = {0};
    for (int step = 0; step < bine.steps(); ++step) {
      const std::set<int> before = inside;
      for (const int rank : before) {
        const int other = bine.partner(rank, step);
        ASSERT_FALSE(before.contains(other)) << "told twice";
        parent[static_cast<std::size_t>(other)] = rank;
        joined[static_cast<std::size_t>(other)] = step;
        inside.insert(other);
      }
    }
    ASSERT_EQ(inside.size(), static_cast<std::size_t>(size));
    for (int rank = 0; rank < size; ++rank) {
      const Tree tree = bine_tree(size, rank, 2);
      ASSERT_EQ(tree.parent, parent[static_cast<std::size_t>(rank)]) << size << " rank " << rank;
      std::vector<int> children;
      for (int step = bine.steps() - 1; step > joined[static_cast<std::size_t>(rank)]; --step)
        children.push_back(bine.partner(rank, step));
      ASSERT_EQ(std::vector<int>(tree.children.begin(), tree.children.begin() + tree.child_count),
                children);
    }
  }
}

// Of any number of ranks: each rank once, below one that is there; a subtree is the arc it is said
// to be.
TEST(BineTree, StandsOnAnyNumberOfRanks) {
  for (int size = 1; size <= 70; ++size) {
    for (int rank = 0; rank < size; ++rank) {
      const Tree tree = bine_tree(size, rank, 2);
      EXPECT_EQ(tree.parent == kNoRank, rank == 0);
      std::set<int> below = {rank};
      for (int i = 0; i < tree.child_count; ++i) {
        const int child = tree.children[static_cast<std::size_t>(i)];
        EXPECT_EQ(bine_tree(size, child, 2).parent, rank) << size;
        for (const int one : of_arc(bine_subtree(size, child, 2), size))
          EXPECT_TRUE(below.insert(one).second) << size << " rank " << rank;
      }
      EXPECT_EQ(of_arc(bine_subtree(size, rank, 2), size), below) << size << " rank " << rank;
      if (rank == 0) {
        EXPECT_EQ(below.size(), static_cast<std::size_t>(size));
      }
    }
  }
}

}  // namespace
}  // namespace colltree
