// SPDX-License-Identifier: BSD-3-Clause
#include "model/first_match.h"

#include <array>

namespace colltree {

namespace {

// Values of each attribute that arrive at a node.
struct Box {
  std::array<std::uint64_t, kAttributes> least = {};
  std::array<std::uint64_t, kAttributes> most = {};
};

enum class Holds : std::uint8_t { kNever, kAlways, kSometimes };

Holds holds(const Bound& bound, const Box& box) {
  const auto attribute = static_cast<std::size_t>(bound.attribute);
  if (box.most[attribute] <= bound.threshold) return bound.above ? Holds::kNever : Holds::kAlways;
  if (box.least[attribute] > bound.threshold) return bound.above ? Holds::kAlways : Holds::kNever;
  return Holds::kSometimes;
}

class Partition {
 public:
  Partition(RuleTree& tree, std::span<const BoundedRule> rules, std::uint16_t otherwise)
      : tree_(tree), rules_(rules), otherwise_(otherwise) {}

  // Rules before `first` cannot fire in the box.
  std::uint32_t append(std::size_t first, const Box& box) {
    for (; first < rules_.size(); ++first) {
      bool never = false;
      const Bound* open = nullptr;
      for (const Bound& bound : rules_[first].bounds) {
        const Holds here = holds(bound, box);
        never |= here == Holds::kNever;
        if (here == Holds::kSometimes && open == nullptr) open = &bound;
      }
      if (never) continue;
      return open == nullptr ? append_leaf(tree_, rules_[first].method) : split(first, *open, box);
    }
    return append_leaf(tree_, otherwise_);
  }

 private:
  std::uint32_t split(std::size_t first, const Bound& bound, const Box& box) {
    const auto attribute = static_cast<std::size_t>(bound.attribute);
    const std::uint32_t test = append_test(tree_, bound.attribute, bound.threshold);
    Box side = box;
    side.most[attribute] = bound.threshold;
    const std::uint32_t low = append(first, side);
    side = box;
    side.least[attribute] = bound.threshold + 1;
    const std::uint32_t high = append(first, side);
    const RuleNode& one = tree_.nodes[low];
    if (one.is_leaf() && one == tree_.nodes[high]) {
      const std::uint16_t method = one.method;
      tree_.nodes.resize(test);
      return append_leaf(tree_, method);
    }
    tree_.nodes[test].low = low;
    tree_.nodes[test].high = high;
    return test;
  }

  RuleTree& tree_;
  std::span<const BoundedRule> rules_;
  std::uint16_t otherwise_;
};

}  // namespace

std::uint32_t append_first_match(RuleTree& tree, std::span<const BoundedRule> rules,
                                 std::uint16_t otherwise) {
  Box everything;
  for (std::size_t i = 0; i < kAttributes; ++i) {
    everything.most[i] = greatest_value(static_cast<Attribute>(i));
  }
  return Partition(tree, rules, otherwise).append(0, everything);
}

}  // namespace colltree
