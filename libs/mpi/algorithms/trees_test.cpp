// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/trees.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace colltree::algorithms {
namespace {

struct Shape {
  const char* name;
  TreeShape* shape;
  int (*depth)(int size);  // of the deepest position
  int radix = 2;

  Tree tree(int size, int position) const { return shape(size, position, radix); }
};

int bits(int n) {
  int count = 0;
  for (; n > 0; n /= 2) ++count;
  return count;
}

// The most digits other than 0 that a position below `size` has.
template <int kRadix>
int deepest_nonzero_digits(int size) {
  int most = 0;
  for (int i = 0; i < size; ++i) {
    int digits = 0;
    for (int rest = i; rest > 0; rest /= kRadix) digits += rest % kRadix != 0 ? 1 : 0;
    most = std::max(most, digits);
  }
  return most;
}

const Shape kShapes[] = {
    {"binomial", knomial_tree,
     [](int size) {
       // The most bits that a position below `size` has set.
       int most = 0;
       for (int i = 0; i < size; ++i) most = std::max(most, __builtin_popcount(i));
       return most;
     },
     2},
    {"binary", binary_tree, [](int size) { return bits(size) - 1; }},
    {"chain", chain_tree, [](int size) { return size - 1; }},
    {"3-nomial", knomial_tree, deepest_nonzero_digits<3>, 3},
    {"4-nomial", knomial_tree, deepest_nonzero_digits<4>, 4},
    {"32-nomial", knomial_tree, deepest_nonzero_digits<32>, 32},
};

// Size of the subtree; checks that it is [position, position + size) and counts the depth.
int walk(const Shape& shape, int size, int position, int depth, int* deepest) {
  const Tree tree = shape.tree(size, position);
  *deepest = std::max(*deepest, depth);
  int next = position + 1;
  int last_size = 0;
  for (int i = 0; i < tree.child_count; ++i) {
    const int child = tree.children[i];
    EXPECT_EQ(child, next) << shape.name << " of " << size << " at " << position;
    EXPECT_EQ(shape.tree(size, child).parent, position) << shape.name << " of " << size;
    const int child_size = walk(shape, size, child, depth + 1, deepest);
    // The last subtree of a binomial tree may be cut off by the size.
    if (shape.shape == binary_tree) {
      EXPECT_GE(child_size, last_size);
    }
    last_size = child_size;
    next = child + child_size;
  }
  return next - position;
}

TEST(Trees, CoverAllPositionsInPreorderAtTheLeastDepth) {
  for (const Shape& shape : kShapes) {
    for (const int size : {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17, 31, 32, 33, 100, 257}) {
      int deepest = 0;
      EXPECT_EQ(shape.tree(size, 0).parent, kNoRank);
      EXPECT_EQ(walk(shape, size, 0, 0, &deepest), size) << shape.name;
      EXPECT_EQ(deepest, shape.depth(size)) << shape.name << " of " << size;
    }
  }
}

TEST(Trees, LargestCommunicators) {
  const int size = 2147483647;
  for (int radix = 2; radix <= 32; ++radix) {
    const Tree tree = knomial_tree(size, 0, radix);
    EXPECT_LE(tree.child_count, static_cast<int>(tree.children.size())) << radix;
    EXPECT_LT(tree.children[tree.child_count - 1], size) << radix;
  }
  EXPECT_EQ(knomial_tree(size, 0, 2).child_count, 31);
  EXPECT_EQ(knomial_tree(size, size - 1, 2).parent, size - 3);
  EXPECT_EQ(binary_tree(size, 0, 2).child_count, 2);
  EXPECT_EQ(binary_tree(size, size - 1, 2).child_count, 0);
}

// Each tree spans all ranks within the expected number of levels, and no rank has children in both.
TEST(TwoTrees, SpanAllRanksAndHaveTheirInnerRanksApart) {
  for (int size = 2; size <= 130; ++size) {
    std::vector<TwoTrees> of;
    for (int rank = 0; rank < size; ++rank) of.push_back(TwoTrees::over_all(size, rank));
    for (int rank = 0; rank < size; ++rank) {
      const TwoTrees& two = of[static_cast<std::size_t>(rank)];
      EXPECT_EQ(std::min(two.tree[0].child_count, two.tree[1].child_count), 0) << size;
      for (int which : {0, 1}) {
        EXPECT_LE(two.tree[which].child_count, 2);
        int levels = 1;
        for (int at = rank;; ++levels) {
          const int above = of[static_cast<std::size_t>(at)].tree[which].parent;
          if (above == kNoRank || levels > size) break;
          const Tree& parent = of[static_cast<std::size_t>(above)].tree[which];
          EXPECT_EQ(
              std::count_if(parent.children.begin(), parent.children.begin() + parent.child_count,
                            [&](int child) { return child == at; }),
              1)
              << size << ' ' << at;
          at = above;
        }
        EXPECT_LE(levels, two.levels) << size << ' ' << rank;
      }
    }
  }
}

// Of every root: a rank of its own above two trees over the others, each rank of which is reached.
TEST(TwoTrees, BelowARootReachAllOthers) {
  for (int size = 3; size <= 40; ++size) {
    for (int root = 0; root < size; ++root) {
      std::vector<TwoTrees> of;
      for (int rank = 0; rank < size; ++rank) of.push_back(TwoTrees::below(root, size, rank));
      for (int which : {0, 1}) {
        const auto tree = [&](int rank) { return of[static_cast<std::size_t>(rank)].tree[which]; };
        ASSERT_EQ(tree(root).parent, kNoRank);
        ASSERT_EQ(tree(root).child_count, 1);
        std::vector<int> reached = {root};
        for (std::size_t i = 0; i < reached.size(); ++i) {
          const Tree here = tree(reached[i]);
          for (int c = 0; c < here.child_count; ++c) {
            ASSERT_EQ(tree(here.children[c]).parent, reached[i]) << size << ' ' << root;
            reached.push_back(here.children[c]);
          }
          ASSERT_LE(reached.size(), static_cast<std::size_t>(size)) << "a cycle";
        }
        ASSERT_EQ(reached.size(), static_cast<std::size_t>(size)) << size << ' ' << root;
      }
      for (int rank = 0; rank < size; ++rank) {
        if (rank == root) continue;
        const TwoTrees& two = of[static_cast<std::size_t>(rank)];
        ASSERT_EQ(std::min(two.tree[0].child_count, two.tree[1].child_count), 0);
        if (two.tree[0].child_count + two.tree[1].child_count > 0) {
          ASSERT_GT(two.tree[two.inner()].child_count, 0);
        }
      }
    }
  }
}

TEST(Placement, IsABijectionAndItsInverse) {
  const int size = 7;
  for (int root = 0; root < size; ++root) {
    const Placement placement = Placement::from_root(size, root);
    EXPECT_EQ(placement.rank(0), root);
    for (int rank = 0; rank < size; ++rank)
      EXPECT_EQ(placement.rank(placement.position(rank)), rank);
  }
  const Placement down = Placement::downwards(size);
  EXPECT_EQ(down.rank(0), size - 1);
  EXPECT_EQ(down.rank(size - 1), 0);
  EXPECT_EQ(down.position(size - 1), 0);
}

TEST(Placement, DownwardSubtreesAreRangesBelowTheirRoot) {
  const Tree tree = Placement::downwards(8).tree(knomial_tree, 7, 2);
  ASSERT_EQ(tree.child_count, 3);
  EXPECT_EQ(tree.children[0], 6);
  EXPECT_EQ(tree.children[1], 5);
  EXPECT_EQ(tree.children[2], 3);
}

}  // namespace
}  // namespace colltree::algorithms
