// SPDX-License-Identifier: BSD-3-Clause
#include "engine/tree.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace colltree::c45 {

Cases empty_cases(const Schema& schema) {
  Cases cases;
  cases.numbers.resize(schema.attributes.size());
  cases.values.resize(schema.attributes.size());
  return cases;
}

Thresholds::Thresholds(const Schema& schema, const Cases& cases)
    : values_(schema.attributes.size()) {
  for (std::size_t a = 0; a < values_.size(); ++a) {
    std::vector<float>& values = values_[a];
    values = cases.numbers[a];
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    values.shrink_to_fit();
    names_.push_back(schema.attributes[a].name);
  }
}

float Thresholds::between(std::size_t attribute, float low, float high, bool strict_r8) const {
  const auto bar = static_cast<float>((low + high) / 2.0);
  if (bar >= low && bar < high) {
    const std::vector<float>& values = values_[attribute];
    return *(std::ranges::upper_bound(values, bar) - 1);
  }
  if (strict_r8) {
    throw Error(fmt::format(
        "attribute '{}': release 8 recurses for ever between {} and {}, which have no float32 "
        "number between them; run without --strict-r8",
        names_[attribute], low, high));
  }
  return low;
}

std::vector<std::uint32_t> group_values(const Tree& tree, const Node& node, std::uint32_t branch) {
  std::vector<std::uint32_t> values;
  for (std::uint32_t v = 1; v <= node.values; ++v) {
    if (tree.group_of[node.groups + v - 1] == branch) values.push_back(v);
  }
  return values;
}

std::uint32_t ClassCounts::most() const {
  std::uint32_t best = 0;
  for (const std::uint32_t c : present_) best = std::max(best, count_[c]);
  return best;
}

std::uint32_t ClassCounts::best_label(std::uint32_t label) const {
  const std::uint32_t best = most();
  if (count_[label] == best) return label;
  auto lowest = static_cast<std::uint32_t>(count_.size());
  for (const std::uint32_t c : present_) {
    if (count_[c] == best) lowest = std::min(lowest, c);
  }
  return lowest;
}

void make_leaf(Tree& tree, Node& node, ClassCounts& classes) {
  classes.sort();
  node.test = TestKind::kLeaf;
  node.first = static_cast<std::uint32_t>(tree.distribution.size());
  node.count = static_cast<std::uint32_t>(classes.present().size());
  for (const std::uint32_t c : classes.present()) {
    tree.distribution.push_back({c, static_cast<float>(classes[c])});
  }
}

void make_leaf(Tree& tree, Node& node, std::span<const float> class_weights) {
  node.test = TestKind::kLeaf;
  node.first = static_cast<std::uint32_t>(tree.distribution.size());
  for (std::uint32_t c = 0; c < class_weights.size(); ++c) {
    if (class_weights[c] != 0) tree.distribution.push_back({c, class_weights[c]});
  }
  node.count = static_cast<std::uint32_t>(tree.distribution.size()) - node.first;
}

TreeSize size_of(const Tree& tree) {
  TreeSize size;
  double depths = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> open = {{0, 0}};
  while (!open.empty()) {
    const auto [index, depth] = open.back();
    open.pop_back();
    const Node& node = tree.nodes[index];
    ++size.nodes;
    size.max_depth = std::max<std::size_t>(size.max_depth, depth);
    if (node.is_leaf()) {
      size.min_depth = size.leaves == 0 ? depth : std::min<std::size_t>(size.min_depth, depth);
      ++size.leaves;
      size.empty_leaves += !(node.items > 0);
      depths += depth;
    }
    for (const std::uint32_t branch : tree.branches(node)) open.emplace_back(branch, depth + 1);
  }
  size.mean_depth = depths / static_cast<double>(size.leaves);
  return size;
}

namespace {

// Copies what a node points to and lets the copy point there.
void copy_payload(const Tree& from, const Node& node, Tree& to, Node& copy) {
  if (node.is_leaf()) {
    const auto distribution = from.leaf_distribution(node);
    copy.first = static_cast<std::uint32_t>(to.distribution.size());
    to.distribution.insert(to.distribution.end(), distribution.begin(), distribution.end());
    return;
  }
  copy.first = static_cast<std::uint32_t>(to.links.size());
  to.links.resize(to.links.size() + node.count);
  if (node.test != TestKind::kGroups) return;
  const auto begin = from.group_of.begin() + node.groups;
  copy.groups = static_cast<std::uint32_t>(to.group_of.size());
  to.group_of.insert(to.group_of.end(), begin, begin + node.values);
}

// The branches of a node as they are printed: leaves first.
std::vector<std::uint32_t> print_order(const Tree& tree, const Node& node) {
  std::vector<std::uint32_t> order;
  const auto branches = tree.branches(node);
  for (const bool leaves : {true, false}) {
    for (std::uint32_t b = 0; b < branches.size(); ++b) {
      if (tree.nodes[branches[b]].is_leaf() == leaves) order.push_back(b);
    }
  }
  return order;
}

}  // namespace

Tree compacted(const Tree& tree) {
  Tree result;
  result.soft = tree.soft;
  result.nodes.reserve(tree.nodes.size());
  result.links.reserve(tree.links.size());
  result.distribution.reserve(tree.distribution.size());
  struct Open {
    std::uint32_t node;
    std::uint32_t link;  // where the new index goes
  };
  constexpr std::uint32_t kRoot = 0xFFFFFFFF;
  std::vector<Open> open = {{0, kRoot}};
  while (!open.empty()) {
    const Open one = open.back();
    open.pop_back();
    const Node& node = tree.nodes[one.node];
    if (one.link != kRoot) result.links[one.link] = static_cast<std::uint32_t>(result.nodes.size());
    Node copy = node;
    copy_payload(tree, node, result, copy);
    const auto branches = tree.branches(node);
    for (std::uint32_t b = static_cast<std::uint32_t>(branches.size()); b-- > 0;) {
      open.push_back({branches[b], copy.first + b});
    }
    result.nodes.push_back(copy);
  }
  return result;
}

std::uint32_t Classifier::classify_from(std::uint32_t at, const Cases& cases, std::uint32_t id) {
  while (!tree_.nodes[at].is_leaf()) {
    const Node& node = tree_.nodes[at];
    const std::uint32_t branch = branch_of(tree_, node, cases, id);
    if (branch == kNoBranch) break;
    at = tree_.branches(node)[branch];
  }
  return spread(cases, id, {at, 1.0F});
}

std::uint32_t Classifier::spread(const Cases& cases, std::uint32_t id, Open from) {
  std::ranges::fill(score_, 0.0F);
  open_.assign(1, from);
  while (!open_.empty()) {
    const Open one = open_.back();
    open_.pop_back();
    const Node& node = tree_.nodes[one.node];
    if (node.is_leaf()) {
      add_leaf(node, one.weight);
      continue;
    }
    const auto branches = tree_.branches(node);
    const std::uint32_t branch = branch_of(tree_, node, cases, id);
    if (branch != kNoBranch) {
      open_.push_back({branches[branch], one.weight});
      continue;
    }
    for (std::size_t b = branches.size(); b-- > 0;) {
      open_.push_back({branches[b], one.weight * tree_.nodes[branches[b]].items / node.items});
    }
  }
  const auto best = std::ranges::max_element(score_);
  return static_cast<std::uint32_t>(best - score_.begin());
}

void Classifier::add_leaf(const Node& leaf, float weight) {
  if (!(leaf.items > 0)) {
    score_[leaf.label] += weight;
    return;
  }
  for (const ClassWeight& entry : tree_.leaf_distribution(leaf)) {
    score_[entry.label] += weight * entry.weight / leaf.items;
  }
}

std::vector<std::uint32_t> classify(const Tree& tree, const Schema& schema, const Cases& cases) {
  Classifier classifier(tree, schema.classes.size());
  std::vector<std::uint32_t> answers;
  for (std::uint32_t id = 0; id < cases.size(); ++id) {
    answers.push_back(classifier.classify(cases, id));
  }
  return answers;
}

std::size_t count_errors(const std::vector<std::uint32_t>& answers, const Cases& cases) {
  std::size_t errors = 0;
  for (std::size_t id = 0; id < cases.size(); ++id) errors += answers[id] != cases.label[id];
  return errors;
}

std::string branch_condition(const Tree& tree, const Node& node, std::uint32_t branch,
                             const Schema& schema) {
  const Attribute& attribute = schema.attributes[node.attribute];
  switch (node.test) {
    case TestKind::kThreshold: {
      const std::string soft = tree.soft ? fmt::format(" [{:g},{:g}]", node.lower, node.upper) : "";
      return fmt::format("{} {} {:g}{}", attribute.name, branch == 0 ? "<=" : ">", node.cut, soft);
    }
    case TestKind::kValues:
      return fmt::format("{} = {}", attribute.name, attribute.values[branch]);
    case TestKind::kGroups: {
      std::string names;
      for (const std::uint32_t v : group_values(tree, node, branch)) {
        if (!names.empty()) names += ", ";
        names += attribute.values[v - 1];
      }
      return fmt::format("{} in {{{}}}", attribute.name, names);
    }
    case TestKind::kLeaf:
      break;
  }
  return {};
}

std::string leaf_text(const Node& leaf, const Schema& schema) {
  const std::string errors = leaf.errors > 0 ? fmt::format("/{:.1f}", leaf.errors) : "";
  return fmt::format("{} ({:.1f}{})", schema.classes[leaf.label], leaf.items, errors);
}

std::string tree_text(const Tree& tree, const Schema& schema) {
  const Node& root = tree.nodes[0];
  if (root.is_leaf()) return leaf_text(root, schema) + "\n";
  struct Line {
    std::uint32_t node;
    std::uint32_t branch;
    std::uint32_t depth;
  };
  std::vector<Line> open;
  const auto push = [&](std::uint32_t index, std::uint32_t depth) {
    const std::vector<std::uint32_t> order = print_order(tree, tree.nodes[index]);
    for (std::size_t i = order.size(); i-- > 0;) open.push_back({index, order[i], depth});
  };
  std::string out;
  push(0, 0);
  while (!open.empty()) {
    const Line line = open.back();
    open.pop_back();
    const Node& node = tree.nodes[line.node];
    const std::uint32_t child = tree.branches(node)[line.branch];
    for (std::uint32_t d = 0; d < line.depth; ++d) out += "|   ";
    out += branch_condition(tree, node, line.branch, schema) + " :";
    if (tree.nodes[child].is_leaf()) out += " " + leaf_text(tree.nodes[child], schema);
    out += '\n';
    push(child, line.depth + 1);
  }
  return out;
}

}  // namespace colltree::c45
