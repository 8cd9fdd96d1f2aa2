// SPDX-License-Identifier: BSD-3-Clause
#include "model/c45/sent_cases.h"

#include <algorithm>

namespace colltree::c45 {

void SentCases::measure_subtrees(const Tree& tree) {
  end_.resize(tree.nodes.size());
  for (auto n = static_cast<std::uint32_t>(tree.nodes.size()); n-- > 0;) {
    const auto branches = tree.branches(tree.nodes[n]);
    end_[n] = branches.empty() ? n + 1 : end_[branches.back()];
  }
}

void SentCases::send(const Tree& tree, const Cases& cases, std::span<const std::uint32_t> ids,
                     std::uint32_t to) {
  for (const std::uint32_t id : ids) {
    std::uint32_t at = to;
    while (!tree.nodes[at].is_leaf()) {
      at = tree.branches(tree.nodes[at])[branch_of(tree, tree.nodes[at], cases, id)];
    }
    entries_.push_back({at, cases.label[id]});
  }
}

void SentCases::sort_from(std::uint32_t first) {
  std::ranges::sort(entries_.begin() + first, entries_.end(), {}, &Entry::leaf);
}

}  // namespace colltree::c45
