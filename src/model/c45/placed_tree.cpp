// SPDX-License-Identifier: BSD-3-Clause
#include "model/c45/placed_tree.h"

#include <utility>

namespace colltree::c45 {

namespace {

std::uint32_t end_of_low(const std::vector<float>& value, float cut,
                         std::vector<std::uint32_t>& ids, std::uint32_t low, std::uint32_t high) {
  while (low < high) {
    if (value[ids[low]] <= cut) {
      ++low;
    } else {
      std::swap(ids[low], ids[--high]);
    }
  }
  return low;
}

}  // namespace

void partition(const Tree& tree, const Node& node, const Cases& cases,
               std::vector<std::uint32_t>& ids, std::uint32_t begin, std::uint32_t end,
               std::vector<std::uint32_t>& bounds) {
  if (node.test == TestKind::kThreshold) {
    bounds.push_back(end_of_low(cases.numbers[node.attribute], node.cut, ids, begin, end));
    bounds.push_back(end);
    return;
  }
  for (std::uint32_t b = 0; b < node.count; ++b) {
    for (std::uint32_t i = begin; i < end; ++i) {
      if (branch_of(tree, node, cases, ids[i]) == b) std::swap(ids[i], ids[begin++]);
    }
    bounds.push_back(begin);
  }
}

}  // namespace colltree::c45
