// SPDX-License-Identifier: BSD-3-Clause
// A tree as a C function of nested ifs.
#include <fmt/format.h>

#include <cctype>

#include "model/c45/text.h"

namespace colltree::c45 {

std::string identifier(std::string_view name) {
  std::string result;
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) result += '_';
  for (const char c : name) result += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return result;
}

std::string c_float(float value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text + "f";
}

namespace {

std::string condition(const Tree& tree, const Node& node, std::uint32_t branch,
                      const Schema& schema) {
  const std::string name = identifier(schema.attributes[node.attribute].name);
  if (node.test == TestKind::kThreshold) return fmt::format("{} <= {}", name, c_float(node.cut));
  if (node.test == TestKind::kValues) return fmt::format("{} == {}", name, branch + 1);
  std::string any;
  for (const std::uint32_t v : group_values(tree, node, branch)) {
    any += fmt::format("{}{} == {}", any.empty() ? "" : " || ", name, v);
  }
  return any;
}

std::string signature(const Schema& schema, std::string_view function) {
  std::string parameters;
  for (const Attribute& attribute : schema.attributes) {
    if (attribute.kind == AttributeKind::kIgnored) continue;
    parameters += fmt::format("{}{} {}", parameters.empty() ? "" : ", ",
                              attribute.kind == AttributeKind::kContinuous ? "float" : "int",
                              identifier(attribute.name));
  }
  return fmt::format("int {}({})", function, parameters);
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

}  // namespace

std::string c_classes_and_signature(const Schema& schema, std::string_view function) {
  std::string out = fmt::format("const char *const {}_classes[] = {{", function);
  for (std::size_t c = 0; c < schema.classes.size(); ++c) {
    out += fmt::format("{}{}", c == 0 ? "" : ", ", quoted(schema.classes[c]));
  }
  return out + "};\n\n" + signature(schema, function);
}

std::string tree_c(const Tree& tree, const Schema& schema, std::string_view function) {
  std::string out = c_classes_and_signature(schema, function) + " {\n";
  struct Open {
    std::uint32_t node;
    std::uint32_t next;
  };
  std::vector<Open> path = {{0, 0}};
  while (!path.empty()) {
    Open& open = path.back();
    const Node& node = tree.nodes[open.node];
    const std::string indent(2 * path.size(), ' ');
    const auto branches = tree.branches(node);
    if (open.next > 0) out += indent + "}\n";
    if (open.next == branches.size()) {
      // Reached by a leaf, or behind the last branch by a value that has none.
      out += fmt::format("{}return {};\n", indent, node.label);
      path.pop_back();
      continue;
    }
    const bool last_side = node.test == TestKind::kThreshold && open.next == 1;
    out += last_side
               ? indent + "{\n"
               : fmt::format("{}if ({}) {{\n", indent, condition(tree, node, open.next, schema));
    path.push_back({branches[open.next++], 0});
  }
  return out + "}\n";
}

}  // namespace colltree::c45
