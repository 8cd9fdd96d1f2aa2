// SPDX-License-Identifier: BSD-3-Clause
#include "model/rule_tree.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace colltree::model {

namespace {

void validate_node(const RuleTree& tree, std::size_t index) {
  const RuleNode& node = tree.nodes[index];
  if (node.is_leaf()) {
    if (node.method >= tree.methods.size()) {
      throw Error(fmt::format("node {}: method {} of {}", index, node.method, tree.methods.size()));
    }
    return;
  }
  if (static_cast<std::size_t>(node.attribute) >= kAttributes) {
    throw Error(fmt::format("node {}: unknown attribute", index));
  }
  for (const std::uint32_t child : {node.low, node.high}) {
    if (child >= tree.nodes.size()) {
      throw Error(fmt::format("node {}: child {} of {} nodes", index, child, tree.nodes.size()));
    }
    if (child <= index) {
      throw Error(fmt::format("node {}: child {} does not come after it", index, child));
    }
  }
}

enum class Holds : std::uint8_t { kNever, kAlways, kSometimes };

Holds holds(const Bound& bound, const ValueRanges& values) {
  const auto& [least, most] = values[static_cast<std::size_t>(bound.attribute)];
  if (most <= bound.threshold) return bound.above ? Holds::kNever : Holds::kAlways;
  if (least > bound.threshold) return bound.above ? Holds::kAlways : Holds::kNever;
  return Holds::kSometimes;
}

class Partition {
 public:
  Partition(RuleTree& tree, std::span<const BoundedRule> rules, std::uint16_t otherwise)
      : tree_(tree), rules_(rules), otherwise_(otherwise) {}

  // Rules before `first` cannot fire for these values.
  std::uint32_t append(std::size_t first, const ValueRanges& values) {
    for (; first < rules_.size(); ++first) {
      bool never = false;
      const Bound* open = nullptr;
      for (const Bound& bound : rules_[first].bounds) {
        const Holds here = holds(bound, values);
        never |= here == Holds::kNever;
        if (here == Holds::kSometimes && open == nullptr) open = &bound;
      }
      if (never) continue;
      return open == nullptr ? append_leaf(tree_, rules_[first].method)
                             : split(first, *open, values);
    }
    return append_leaf(tree_, otherwise_);
  }

 private:
  std::uint32_t split(std::size_t first, const Bound& bound, const ValueRanges& values) {
    const auto attribute = static_cast<std::size_t>(bound.attribute);
    const std::uint32_t test = append_test(tree_, bound.attribute, bound.threshold);
    ValueRanges side = values;
    side[attribute].most = bound.threshold;
    const std::uint32_t low = append(first, side);
    side = values;
    side[attribute].least = bound.threshold + 1;
    const std::uint32_t high = append(first, side);
    const RuleNode& leaf = tree_.nodes[low];
    if (leaf.is_leaf() && leaf == tree_.nodes[high]) {
      const std::uint16_t method = leaf.method;
      tree_.nodes.resize(test);
      return append_leaf(tree_, method);
    }
    return link_children(tree_, test, low, high);
  }

  RuleTree& tree_;
  std::span<const BoundedRule> rules_;
  std::uint16_t otherwise_;
};

}  // namespace

std::uint32_t root_of(const RuleTree& tree, Collective collective) {
  for (const RuleTree::Root& root : tree.roots) {
    if (root.collective == collective) return root.node;
  }
  std::vector<std::string_view> known;
  for (const RuleTree::Root& root : tree.roots) known.push_back(name(root.collective));
  throw Error(fmt::format("the model does not decide for {}; it does for {}", name(collective),
                          join(known, ", ")));
}

std::uint32_t leaf_from(const RuleTree& tree, std::uint32_t node, const Instance& instance) {
  while (!tree.nodes[node].is_leaf()) {
    const RuleNode& test = tree.nodes[node];
    node = attribute_value(test.attribute, instance) <= test.threshold ? test.low : test.high;
  }
  return node;
}

std::uint16_t decide_from(const RuleTree& tree, std::uint32_t node, const Instance& instance) {
  return tree.nodes[leaf_from(tree, node, instance)].method;
}

const Method& decide(const RuleTree& tree, const Instance& instance) {
  return tree.methods[decide_from(tree, root_of(tree, instance.collective), instance)];
}

void validate(const RuleTree& tree) {
  if (tree.roots.empty()) throw Error("a rule tree without a root decides nothing");
  for (std::size_t i = 0; i < tree.roots.size(); ++i) {
    const RuleTree::Root& root = tree.roots[i];
    const auto same = std::ranges::count(tree.roots, root.collective, &RuleTree::Root::collective);
    if (same > 1) throw Error(fmt::format("{} has more than one root", name(root.collective)));
    if (root.node >= tree.nodes.size()) {
      throw Error(fmt::format("the root of {} is node {} of {}", name(root.collective), root.node,
                              tree.nodes.size()));
    }
  }
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) validate_node(tree, i);
}

Thresholds thresholds_of(const RuleTree& tree, std::uint32_t node) {
  Thresholds thresholds;
  std::vector<bool> reached(tree.nodes.size());
  reached[node] = true;
  for (std::size_t i = node; i < tree.nodes.size(); ++i) {
    const RuleNode& test = tree.nodes[i];
    if (!reached[i] || test.is_leaf()) continue;
    reached[test.low] = reached[test.high] = true;
    if (test.threshold < greatest_value(test.attribute)) {
      thresholds[test.attribute].insert(test.threshold);
    }
  }
  return thresholds;
}

std::uint32_t append_leaf(RuleTree& tree, std::uint16_t method) {
  tree.nodes.push_back({.method = method});
  return static_cast<std::uint32_t>(tree.nodes.size() - 1);
}

std::uint32_t append_test(RuleTree& tree, Attribute attribute, std::uint64_t threshold) {
  tree.nodes.push_back({.attribute = attribute, .threshold = threshold, .low = 0, .high = 0});
  return static_cast<std::uint32_t>(tree.nodes.size() - 1);
}

std::uint32_t link_children(RuleTree& tree, std::uint32_t test, std::uint32_t low,
                            std::uint32_t high) {
  tree.nodes[test].low = low;
  tree.nodes[test].high = high;
  return test;
}

std::uint16_t index_of_method(std::vector<Method>& methods, const Method& method) {
  const std::size_t index = index_of(methods, method).value_or(methods.size());
  if (index > 0xFFFF) throw Error("more than 65536 methods are too many for one tree");
  if (index == methods.size()) methods.push_back(method);
  return static_cast<std::uint16_t>(index);
}

std::uint32_t append_nodes(RuleTree& tree, const RuleTree& appended) {
  const auto first = static_cast<std::uint32_t>(tree.nodes.size());
  for (RuleNode node : appended.nodes) {
    if (node.is_leaf()) {
      node.method = index_of_method(tree.methods, appended.methods[node.method]);
    } else {
      node.low += first;
      node.high += first;
    }
    tree.nodes.push_back(node);
  }
  return first;
}

TreeShape shape(const RuleTree& tree, std::uint32_t node) {
  // From the last node to the first: a child's shape is known before its parents need it, and a
  // node with many parents costs no more than one with a single parent.
  std::vector<TreeShape> shapes(tree.nodes.size(), {.leaves = 1, .nodes = 1});
  for (std::size_t i = tree.nodes.size(); i-- > node;) {
    if (tree.nodes[i].is_leaf()) continue;
    const TreeShape& low = shapes[tree.nodes[i].low];
    const TreeShape& high = shapes[tree.nodes[i].high];
    const double leaves = static_cast<double>(low.leaves) + static_cast<double>(high.leaves);
    shapes[i] = {.leaves = low.leaves + high.leaves,
                 .nodes = low.nodes + high.nodes + 1,
                 .min_depth = std::min(low.min_depth, high.min_depth) + 1,
                 .max_depth = std::max(low.max_depth, high.max_depth) + 1,
                 .mean_depth = 1 + (low.mean_depth * static_cast<double>(low.leaves) +
                                    high.mean_depth * static_cast<double>(high.leaves)) /
                                       leaves};
  }
  return shapes[node];
}

TreeShape total_shape(const RuleTree& tree) {
  TreeShape total{.min_depth = UINT64_MAX};
  double depths = 0;
  for (const RuleTree::Root& root : tree.roots) {
    const TreeShape under_root = shape(tree, root.node);
    total.leaves += under_root.leaves;
    total.nodes += under_root.nodes;
    total.min_depth = std::min(total.min_depth, under_root.min_depth);
    total.max_depth = std::max(total.max_depth, under_root.max_depth);
    depths += under_root.mean_depth * static_cast<double>(under_root.leaves);
  }
  total.mean_depth = depths / static_cast<double>(total.leaves);
  return total;
}

RuleTree united(std::span<const RuleTree> trees) {
  RuleTree result;
  for (const RuleTree& tree : trees) {
    const std::uint32_t first = append_nodes(result, tree);
    for (const RuleTree::Root& root : tree.roots) {
      result.roots.push_back({root.collective, first + root.node});
    }
  }
  validate(result);
  return result;
}

std::uint32_t append_first_match(RuleTree& tree, std::span<const BoundedRule> rules,
                                 std::uint16_t otherwise) {
  return Partition(tree, rules, otherwise).append(0, all_values());
}

ValueRanges all_values() {
  ValueRanges ranges;
  for (std::size_t i = 0; i < kAttributes; ++i)
    ranges[i].most = greatest_value(static_cast<Attribute>(i));
  return ranges;
}

}  // namespace colltree::model
