// SPDX-License-Identifier: BSD-3-Clause
// Against a simulation of the schedule, rank by rank and segment by segment, on a network without
// contention.
#include "parametric/tree_cost.h"

#include <gtest/gtest.h>

#include "parametric/test_network.h"

namespace colltree {
namespace {

// Positions of the subtree that begins at `top`, in preorder as in src/algorithms/trees.h: the
// children from the last to the first. Their subtrees lie behind each other, adjacent child first.
class RelaySimulation {
 public:
  RelaySimulation(const CostTree& tree, std::uint64_t ranks, double bytes, double segment)
      : tree_(tree), pieces_(bytes, segment), arrived_(ranks) {
    for (int i = 0; i < static_cast<int>(pieces_.count); ++i) arrived_[0].push_back(0);
    relay(0, ranks);
  }
  double ends() const {
    double latest = 0;
    for (const auto& times : arrived_) latest = std::max(latest, times.back());
    return latest;
  }

 private:
  double length(std::size_t i) const {
    return i + 1 == static_cast<std::size_t>(pieces_.count) ? pieces_.last : pieces_.length;
  }
  void relay(std::size_t top, std::uint64_t size) {
    const auto children = tree_.children(size, tree_.radix);
    std::vector<std::size_t> position(children.size());
    std::size_t next = top + 1;
    for (std::size_t c = children.size(); c-- > 0;) {
      position[c] = next;
      next += children[c];
    }
    double free = 0;
    for (std::size_t i = 0; i < arrived_[top].size(); ++i) {
      free = std::max(free, arrived_[top][i]);
      for (const std::size_t child : position) {
        arrived_[child].push_back(free + kTestNetwork.message_us(length(i)));
        free += kTestNetwork.gap_us(length(i));
      }
    }
    for (std::size_t c = 0; c < children.size(); ++c) relay(position[c], children[c]);
  }

  CostTree tree_;
  Pieces pieces_;
  std::vector<std::vector<double>> arrived_;  // by position, by segment
};

const std::pair<const char*, CostTree> kTrees[] = {{"binomial", binomial_cost_tree()},
                                                   {"binary", binary_cost_tree()},
                                                   {"chain", chain_cost_tree()},
                                                   {"knomial 4", knomial_cost_tree(4)},
                                                   {"knomial 7", knomial_cost_tree(7)}};

TEST(TreeCost, ChildrenMakeUpTheTree) {
  for (const auto& [name, tree] : kTrees) {
    for (std::uint64_t size = 1; size <= 300; ++size) {
      std::uint64_t sum = 1;
      for (const std::uint64_t child : tree.children(size, tree.radix)) sum += child;
      EXPECT_EQ(sum, size) << name;
    }
  }
}

// Unsegmented it is the schedule's very time; of segments it is an upper bound that is at most a
// tenth too high, because the busiest rank need not be the one on the longest way.
TEST(TreeCost, RelayAsTheScheduleGoes) {
  for (const auto& [name, tree] : kTrees) {
    for (const std::uint64_t ranks : {2, 3, 5, 8, 13, 16, 31, 64, 100}) {
      for (const double segment : {0.0, 50.0, 64.0, 300.0}) {
        const CostCall call{kTestNetwork, ranks, 1000, segment, 0, 0};
        const double formula = relay_us(call, tree, 1000);
        const double schedule = RelaySimulation(tree, ranks, 1000, segment).ends();
        const auto what =
            std::string(name) + " on " + std::to_string(ranks) + " by " + std::to_string(segment);
        if (segment == 0) {
          EXPECT_NEAR(formula, schedule, 1e-6) << what;
        } else {
          EXPECT_GE(formula, schedule - 1e-6) << what;
          EXPECT_LE(formula, 1.1 * schedule) << what;
        }
      }
    }
  }
}

}  // namespace
}  // namespace colltree
