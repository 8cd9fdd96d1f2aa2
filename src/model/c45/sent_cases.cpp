// SPDX-License-Identifier: BSD-3-Clause
#include "model/c45/sent_cases.h"

#include <algorithm>

namespace colltree::c45 {

SentCases::SentCases(const PlacedTree& grown, const Cases& cases) {
  const Tree& tree = grown.tree;
  measure_subtrees(tree);
  first_.assign(tree.nodes.size() + 1, 0);
  for (std::uint32_t n = 0; n < tree.nodes.size(); ++n) {
    first_[n] = static_cast<std::uint32_t>(entries_.size());
    if (tree.nodes[n].is_leaf()) continue;
    const auto branches = tree.branches(tree.nodes[n]);
    std::uint32_t largest = branches[0];
    for (const std::uint32_t branch : branches) {
      if (grown.size(branch) >= grown.size(largest)) largest = branch;
    }
    for (const std::uint32_t branch : branches) {
      if (branch == largest) continue;
      const auto own = std::span(grown.ids).subspan(grown.places[branch].begin, grown.size(branch));
      send(tree, cases, own, largest);
    }
    sort_from(first_[n]);
  }
  first_.back() = static_cast<std::uint32_t>(entries_.size());
}

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
