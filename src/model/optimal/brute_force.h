// SPDX-License-Identifier: BSD-3-Clause
// For tests: every tree on a tiny grid, one after the other. Shares nothing with the search but the
// grid: cells are bits, tests are sets of cells, trees are sets of leaves.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace colltree::testing {

using Cells = std::uint32_t;           // bit i: cell i
using Partition = std::vector<Cells>;  // the leaves of a tree, ascending

class AllTrees {
 public:
  // A test is the set of cells that it sends to its low side.
  AllTrees(Cells all, std::vector<Cells> tests) : all_(all), tests_(std::move(tests)) {}

  // What trees of exactly so many leaves make of the grid, each once.
  const std::set<Partition>& partitions(std::size_t leaves) { return partitions(all_, leaves); }

 private:
  const std::set<Partition>& partitions(Cells cells, std::size_t leaves) {
    const auto [found, is_new] = known_.try_emplace({cells, leaves});
    std::set<Partition>& result = found->second;
    if (!is_new) return result;
    if (leaves == 1) return result.insert({cells}), result;
    for (const Cells test : tests_) {
      const Cells low = cells & test;
      const Cells high = cells & ~test;
      if (low == 0 || high == 0) continue;
      for (std::size_t i = 1; i < leaves; ++i) {
        for (const Partition& a : partitions(low, i)) {
          for (const Partition& b : partitions(high, leaves - i)) {
            Partition both = a;
            both.insert(both.end(), b.begin(), b.end());
            std::ranges::sort(both);
            result.insert(both);
          }
        }
      }
    }
    return result;
  }

  Cells all_;
  std::vector<Cells> tests_;
  std::map<std::pair<Cells, std::size_t>, std::set<Partition>> known_;  // a map: references last
};

// Every way to give each of the leaves one of the methods.
inline void each_choice(std::size_t leaves, std::size_t methods,
                        const std::function<void(const std::vector<std::size_t>&)>& visit) {
  std::vector<std::size_t> choice(leaves);
  while (true) {
    visit(choice);
    std::size_t at = 0;
    while (at < leaves && ++choice[at] == methods) choice[at++] = 0;
    if (at == leaves) return;
  }
}

}  // namespace colltree::testing
