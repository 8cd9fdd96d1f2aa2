// SPDX-License-Identifier: BSD-3-Clause
// Graphviz source: one cluster for each collective.
#include <fmt/format.h>

#include "base/printable.h"
#include "emit/emitter.h"

namespace colltree {

namespace {

// As a quoted string of Graphviz.
std::string dot_text(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

void write_node(const RuleTree& tree, std::uint32_t index, std::string& out) {
  const RuleNode& node = tree.nodes[index];
  if (node.is_leaf()) {
    out += fmt::format("    n{} [shape=box, label=\"{}\"];\n", index,
                       dot_text(tree.methods[node.method].label()));
    return;
  }
  out +=
      fmt::format("    n{} [label=\"{} <= {}\"];\n", index, name(node.attribute), node.threshold);
  out += fmt::format("    n{0} -> n{1} [label=\"yes\"];\n    n{0} -> n{2} [label=\"no\"];\n", index,
                     node.low, node.high);
  write_node(tree, node.low, out);
  write_node(tree, node.high, out);
}

}  // namespace

std::string emit_dot(const DecisionFunction& model, const EmitOptions& options) {
  const RuleTree tree = tree_to_emit(model, options);
  std::string out = fmt::format("// {}\ndigraph colltree {{\n  node [fontname=\"sans-serif\"];\n",
                                describe(model));
  for (const RuleTree::Root& root : tree.roots) {
    out += fmt::format("  subgraph cluster_{0} {{\n    label=\"{0}\";\n", name(root.collective));
    write_node(tree, root.node, out);
    out += "  }\n";
  }
  return out + "}\n";
}

}  // namespace colltree
