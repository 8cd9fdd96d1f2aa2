// SPDX-License-Identifier: BSD-3-Clause
#include "engine/subtree_estimate.h"

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

// A lower bound of an estimate while cases are being added to a subtree. A leaf's estimate never
// falls when cases are added (it rises with the cases at given errors, and with both together),
// so the subtree's own estimate and what the leaves visited so far have added bound the result;
// the limit leaves room for what float32 sums may lose against that.
class LowerBound {
 public:
  LowerBound(float own, std::size_t added, std::size_t nodes, double enough)
      : bound_(own),
        limit_(enough +
               (own + static_cast<double>(added)) * 6e-8 * (100.0 + static_cast<double>(nodes)) +
               1e-3) {}
  // True once the result is known to be above `enough`.
  bool add(float estimate, float own) {
    bound_ += static_cast<double>(estimate) - own;
    return bound_ > limit_;
  }

 private:
  double bound_;
  double limit_;
};

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

float SubtreeEstimate::with_sent(std::uint32_t root, const SentCases& all, std::uint32_t test,
                                 double enough) {
  const std::span<const SentCases::Entry> sent = all.of(test);
  if (sent.empty()) return here_.tree.nodes[root].errors;
  LowerBound bound(here_.tree.nodes[root].errors, sent.size(), here_.tree.nodes.size(), enough);
  float result = 0;
  descents_.clear();
  descents_.push_back({root, 0, 0, 0, 0, 0.0F});
  for (std::size_t next = 0; !descents_.empty();) {
    Descent& top = descents_.back();
    const Node& node = here_.tree.nodes[top.node];
    if (!node.is_leaf() && top.next < node.count) {
      const std::uint32_t child = here_.tree.branches(node)[top.next++];
      if (next < sent.size() && sent[next].leaf < all.subtree_end(child)) {
        descents_.push_back({child, 0, 0, 0, 0, 0.0F});
      } else {
        top.errors += here_.own_errors(child);
      }
      continue;
    }
    result = top.errors;
    if (node.is_leaf()) {
      count_own(top.node);
      const std::size_t first = next;
      while (next < sent.size() && sent[next].leaf < all.subtree_end(top.node)) {
        counts_.add(sent[next++].label);
      }
      result = leaf_estimate(top.node, static_cast<std::uint32_t>(next - first));
      if (bound.add(result, here_.own_errors(top.node))) return kAboveEnough;
    }
    descents_.pop_back();
    if (!descents_.empty()) descents_.back().errors += result;
  }
  return result;
}

float SubtreeEstimate::with_cases(std::uint32_t root, std::vector<std::uint32_t>& ids,
                                  double enough) {
  const auto all = static_cast<std::uint32_t>(ids.size());
  if (all == 0) return here_.tree.nodes[root].errors;
  float result = 0;
  LowerBound bound(here_.tree.nodes[root].errors, all, here_.tree.nodes.size(), enough);
  descents_.clear();
  bounds_.clear();
  descend(root, ids, 0, all);
  while (!descents_.empty()) {
    Descent& top = descents_.back();
    const Node& node = here_.tree.nodes[top.node];
    if (node.is_leaf() || top.next == node.count) {
      result = top.errors;
      if (node.is_leaf()) {
        count_own(top.node);
        for (std::uint32_t i = top.begin; i < top.end; ++i) counts_.add(cases_.label[ids[i]]);
        result = leaf_estimate(top.node, top.end - top.begin);
        if (bound.add(result, here_.own_errors(top.node))) return kAboveEnough;
      }
      bounds_.resize(top.bounds);
      descents_.pop_back();
      if (!descents_.empty()) descents_.back().errors += result;
      continue;
    }
    const std::uint32_t begin = top.next == 0 ? top.begin : bounds_[top.bounds + top.next - 1];
    const std::uint32_t end = bounds_[top.bounds + top.next];
    const std::uint32_t child = here_.tree.branches(node)[top.next++];
    if (begin < end) {
      descend(child, ids, begin, end);
    } else {
      top.errors += here_.own_errors(child);
    }
  }
  return result;
}

void SubtreeEstimate::descend(std::uint32_t index, std::vector<std::uint32_t>& ids,
                              std::uint32_t begin, std::uint32_t end) {
  descents_.push_back({index, begin, end, static_cast<std::uint32_t>(bounds_.size()), 0, 0.0F});
  const Node& node = here_.tree.nodes[index];
  if (!node.is_leaf()) partition(here_.tree, node, cases_, ids, begin, end, bounds_);
}

void SubtreeEstimate::count_own(std::uint32_t leaf) {
  counts_.clear();
  if (here_.size(leaf) == 0) return;
  for (const ClassWeight& entry : here_.tree.leaf_distribution(here_.tree.nodes[leaf])) {
    counts_.add(entry.label, static_cast<std::uint32_t>(entry.weight));
  }
}

float SubtreeEstimate::leaf_estimate(std::uint32_t leaf, std::uint32_t further) const {
  const std::uint32_t items = here_.size(leaf) + further;
  return pessimistic_.leaf(static_cast<float>(items), static_cast<float>(items - counts_.most()));
}

}  // namespace colltree::c45
