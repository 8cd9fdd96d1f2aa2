// SPDX-License-Identifier: BSD-3-Clause
#include "release8/item_order.h"

#include <numeric>

namespace colltree::c45 {

ItemOrder::ItemOrder(std::size_t cases) : items(cases), weight(cases, 1.0F) {
  std::iota(items.begin(), items.end(), 0U);
}

void ItemOrder::reset_weights() { weight.assign(weight.size(), 1.0F); }

float ItemOrder::sum(std::size_t first, std::size_t end) const {
  float total = 0;
  for (std::size_t i = first; i < end; ++i) total += weight[items[i]];
  return total;
}

void ItemOrder::scale(std::size_t first, std::size_t end, float factor) {
  for (std::size_t i = first; i < end; ++i) weight[items[i]] *= factor;
}

void ItemOrder::unscale(std::size_t first, std::size_t end, float factor) {
  for (std::size_t i = first; i < end; ++i) weight[items[i]] /= factor;
}

void sort_as_release8(std::vector<std::uint32_t>& items, std::size_t first, std::size_t end,
                      const std::vector<float>& value) {
  struct Range {
    std::size_t first;
    std::size_t end;
  };
  std::vector<Range> open = {{first, end}};
  while (!open.empty()) {
    const Range range = open.back();
    open.pop_back();
    if (range.end - range.first < 2 || range.end < range.first) continue;
    const std::size_t last = range.end - 1;
    const float pivot = value[items[last]];
    const std::size_t high = bring_forward(
        items, range.first, last, [&](std::uint32_t item) { return value[item] <= pivot; });
    std::size_t middle = high;
    for (std::size_t i = high; i-- > range.first;) {
      if (value[items[i]] == pivot) std::swap(items[i], items[--middle]);
    }
    std::swap(items[high], items[last]);
    open.push_back({range.first, middle});
    open.push_back({high + 1, range.end});
  }
}

void BranchWalk::begin(ItemOrder& order, const Tree& tree, const Node& node, const Cases& cases,
                       std::size_t first_item, std::size_t end_item) {
  first = first_item;
  end = end_item;
  branch = 0;
  known = bring_forward(order.items, first, end, [&](std::uint32_t item) {
    return branch_of(tree, node, cases, item) == kNoBranch;
  });
}

bool BranchWalk::enter(ItemOrder& order, const Tree& tree, const Node& node, const Cases& cases) {
  branch_end = bring_forward(order.items, known, end, [&](std::uint32_t item) {
    return branch_of(tree, node, cases, item) == branch;
  });
  if (branch_end == known) return false;
  factor = order.sum(known, branch_end) / known_weight;
  order.scale(first, known, factor);
  return true;
}

void BranchWalk::leave(ItemOrder& order, const Tree& tree, const Node& node, const Cases& cases) {
  bring_forward(order.items, first, branch_end, [&](std::uint32_t item) {
    return branch_of(tree, node, cases, item) == kNoBranch;
  });
  order.unscale(first, known, factor);
}

}  // namespace colltree::c45
