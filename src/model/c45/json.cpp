// SPDX-License-Identifier: BSD-3-Clause
#include "model/c45/json.h"

#include <fmt/format.h>

namespace colltree::c45 {

namespace {

void open_node(const Tree& tree, const Node& node, std::string& out) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, R"({{"leaf":{},"items":{},"err":{})", node.label, node.items, node.errors);
  if (node.is_leaf()) {
    out += ",\"dist\":{";
    const char* comma = "";
    for (const ClassWeight& entry : tree.leaf_distribution(node)) {
      fmt::format_to(to, R"({}"{}":{})", comma, entry.label, entry.weight);
      comma = ",";
    }
    out += '}';
    return;
  }
  fmt::format_to(to, R"(,"att":{})", node.attribute);
  if (node.test == TestKind::kThreshold) {
    fmt::format_to(to, R"(,"cut":{})", node.cut);
    if (tree.soft) fmt::format_to(to, R"(,"lower":{},"upper":{})", node.lower, node.upper);
  } else if (node.test == TestKind::kGroups) {
    out += ",\"subsets\":[";
    for (std::uint32_t b = 0; b < node.count; ++b) {
      fmt::format_to(to, "{}[{}]", b == 0 ? "" : ",", fmt::join(group_values(tree, node, b), ","));
    }
    out += ']';
  }
  out += ",\"br\":[";
}

}  // namespace

std::string tree_json(const Tree& tree) {
  std::string out;
  struct Open {
    std::uint32_t node;
    std::uint32_t next = 0;
  };
  std::vector<Open> path = {{0}};
  open_node(tree, tree.nodes[0], out);
  while (!path.empty()) {
    Open& open = path.back();
    const Node& node = tree.nodes[open.node];
    const auto branches = tree.branches(node);
    if (open.next == branches.size()) {
      out += node.is_leaf() ? "}" : "]}";
      path.pop_back();
      continue;
    }
    if (open.next > 0) out += ',';
    const std::uint32_t child = branches[open.next++];
    open_node(tree, tree.nodes[child], out);
    path.push_back({child});
  }
  return out;
}

}  // namespace colltree::c45
