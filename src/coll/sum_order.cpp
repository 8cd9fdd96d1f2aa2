// SPDX-License-Identifier: BSD-3-Clause
#include "coll/sum_order.h"

#include <fmt/format.h>

#include <algorithm>

#include "coll/catalogue.h"

namespace colltree {

namespace {

struct OrderedAlgorithm {
  Collective collective;
  std::string_view algorithm;
  SumTree tree;
};

// Of the portable catalogue.
constexpr OrderedAlgorithm kOrdered[] = {
    {Collective::kAllreduce, "reduce_bcast", SumTree::kBinomial},
    {Collective::kAllreduce, "recursive_doubling", SumTree::kNearPairs},
    {Collective::kAllreduce, "recursive_multiplying", SumTree::kNearGroups},
    {Collective::kAllreduce, "butterfly", SumTree::kNearPairs},
    {Collective::kAllreduce, "dual_root", SumTree::kHalvesBinary},
    {Collective::kExscan, "linear", SumTree::kUpwards},
    {Collective::kExscan, "recursive_doubling", SumTree::kBlocks},
    {Collective::kExscan, "binomial", SumTree::kFenwick},
    {Collective::kReduce, "linear", SumTree::kDownwards},
    {Collective::kReduce, "binomial", SumTree::kBinomial},
    {Collective::kReduce, "binary", SumTree::kBinary},
    {Collective::kReduce, "pipeline", SumTree::kChain},
    {Collective::kReduce, "knomial", SumTree::kKnomial},
    {Collective::kReduce, "in_order_binary", SumTree::kRanksBinary},
    {Collective::kReduce, "butterfly", SumTree::kNearPairs},
    {Collective::kReduceScatter, "reduce_scatterv", SumTree::kBinomial},
    {Collective::kReduceScatter, "recursive_halving", SumTree::kFarPairs},
    {Collective::kReduceScatter, "butterfly", SumTree::kNearPairs},
    {Collective::kReduceScatterBlock, "reduce_scatterv", SumTree::kBinomial},
    {Collective::kReduceScatterBlock, "recursive_halving", SumTree::kFarPairs},
    {Collective::kReduceScatterBlock, "butterfly", SumTree::kNearPairs},
    {Collective::kScan, "linear", SumTree::kUpwards},
    {Collective::kScan, "recursive_doubling", SumTree::kBlocks},
    {Collective::kScan, "binomial", SumTree::kFenwick},
};

constexpr std::string_view kTreeTexts[] = {"one by one, ranks falling",
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
  return std::ranges::any_of(
      kOrdered, [&](const OrderedAlgorithm& row) { return row.collective == collective; });
}

std::optional<SumOrder> sum_order(Collective collective, const Method& method) {
  const auto* row = std::ranges::find_if(kOrdered, [&](const OrderedAlgorithm& one) {
    return one.collective == collective && one.algorithm == method.algorithm;
  });
  if (row == std::end(kOrdered)) return std::nullopt;
  const std::uint64_t bare = find_portable_algorithm(collective, method.algorithm)->radix;
  if (bare == 0) return SumOrder{row->tree, 0};
  return SumOrder{row->tree, method.parameters.radix == 0 ? bare : method.parameters.radix};
}

}  // namespace colltree
