// SPDX-License-Identifier: BSD-3-Clause
#include "model/c45/text.h"

#include <fmt/format.h>

#include <cctype>

#include "base/text.h"

namespace colltree::c45 {

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

namespace {

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
