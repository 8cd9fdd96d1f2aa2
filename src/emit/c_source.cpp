// SPDX-License-Identifier: BSD-3-Clause
// C99 source as nested two-way tests (2007, 3.2: each quadrant test of the paper is a test of the
// communicator size around tests of the message size).
#include <fmt/format.h>

#include "emit/c_file.h"

namespace colltree {

namespace {

std::string condition(const RuleNode& node) {
  if (node.attribute == Attribute::kCommunicatorSizeIsPowerOfTwo) {
    return "communicator_size == 0 || (communicator_size & (communicator_size - 1)) != 0";
  }
  return fmt::format("{} <= UINT64_C({})", name(node.attribute), node.threshold);
}

void write_node(const RuleTree& tree, std::uint32_t index, std::size_t indent, std::string& out) {
  const RuleNode& node = tree.nodes[index];
  const std::string blanks(indent * 2, ' ');
  if (node.is_leaf()) {
    out += fmt::format("{}return {}; /* {} */\n", blanks, node.method,
                       c_text(tree.methods[node.method].label()));
    return;
  }
  out += fmt::format("{}if ({}) {{\n", blanks, condition(node));
  write_node(tree, node.low, indent + 1, out);
  out += fmt::format("{}}} else {{\n", blanks);
  write_node(tree, node.high, indent + 1, out);
  out += fmt::format("{}}}\n", blanks);
}

CFunction nested_ifs(const RuleTree& tree, const RuleTree::Root& root, const std::string&) {
  CFunction function;
  write_node(tree, root.node, 1, function.body);
  return function;
}

}  // namespace

std::string emit_c(const DecisionFunction& model, const EmitOptions& options) {
  return c_file(model, tree_to_emit(model, options), options.prefix, nested_ifs);
}

}  // namespace colltree
