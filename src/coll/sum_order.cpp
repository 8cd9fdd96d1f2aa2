// SPDX-License-Identifier: BSD-3-Clause
#include "coll/sum_order.h"

#include <fmt/core.h>

#include <algorithm>

namespace colltree {

namespace {

// In the order of SumTree.
constexpr std::string_view kTreeTexts[] = {"unordered",
                                           "one by one, ranks falling",
                                           "one by one, ranks rising",
                                           "chain",
                                           "binomial tree",
                                           "{}-nomial tree",
                                           "binary tree",
                                           "binary tree over ranks",
                                           "binary trees over two halves of the ranks",
                                           "near pairs",
                                           "near groups of up to {}",
                                           "far pairs",
                                           "blocks",
                                           "binomial tree over ranks"};

}  // namespace

std::string text_of(const SumOrder& order) {
  const std::string_view text = kTreeTexts[static_cast<std::size_t>(order.tree)];
  return fmt::format(fmt::runtime(text), order.radix);
}

bool adds_up(Collective collective) {
  return std::ranges::any_of(portable_algorithms(), [&](const AlgorithmInfo& row) {
    return row.collective == collective && row.sums != SumTree::kUnordered;
  });
}

std::optional<SumOrder> sum_order(Collective collective, const Method& method) {
  const AlgorithmInfo* row = find_portable_algorithm(collective, method.algorithm);
  if (row == nullptr || row->sums == SumTree::kUnordered) return std::nullopt;
  if (row->radix == 0) return SumOrder{row->sums, 0};
  return SumOrder{row->sums, method.parameters.radix == 0 ? row->radix : method.parameters.radix};
}

}  // namespace colltree
