// SPDX-License-Identifier: BSD-3-Clause
// C99 source as nested two-way tests (2007, 3.2: each quadrant test of the paper is a test of the
// communicator size around tests of the message size), or in the faster of the two forms.
#include <fmt/format.h>

#include "emit/c_file.h"

namespace colltree {

namespace {

std::string condition(const RuleNode& node) {
  if (node.attribute == Attribute::kCommunicatorSizeIsPowerOfTwo) {
    return "communicator_size == 0 || (communicator_size & (communicator_size - 1)) != 0";
  }
  if (node.attribute == Attribute::kMessageSizeIsEven) return "message_size % 2 != 0";
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

// What a first-level cache holds beside an application's own data.
constexpr std::size_t kMostFastCells = std::size_t{1} << 14;
// Up to here the ifs cost no more than the table's look-ups even when no branch is predicted
// (docs/decision.md).
constexpr std::uint64_t kFewLeaves = 3;

CFunction faster_form(const RuleTree& tree, const RuleTree::Root& root, const std::string& prefix) {
  if (shape(tree, root.node).leaves > kFewLeaves) {
    if (auto table = c_table(tree, root, prefix, kMostFastCells)) return std::move(*table);
  }
  return nested_ifs(tree, root, prefix);
}

}  // namespace

CFunction nested_ifs(const RuleTree& tree, const RuleTree::Root& root, const std::string&) {
  CFunction function;
  write_node(tree, root.node, 1, function.body);
  return function;
}

std::string emit_c_nested(const DecisionFunction& model, const EmitOptions& options) {
  return c_file(model, tree_to_emit(model, options), options.prefix, nested_ifs);
}

// Asking for the model's own tests, or for an order of tests, is asking for tests.
std::string emit_c(const DecisionFunction& model, const EmitOptions& options) {
  if (!options.merge || !options.mix.empty()) return emit_c_nested(model, options);
  return c_file(model, tree_to_emit(model, options), options.prefix, faster_form);
}

}  // namespace colltree
