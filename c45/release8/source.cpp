// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <cctype>

#include "base/text.h"
#include "engine/tree.h"
#include "release8/reports.h"

namespace colltree::c45 {

namespace {

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

}  // namespace

std::string tree_dot(const Tree& tree, const Schema& schema) {
  std::string out = "digraph c45 {\n  node [shape=box, fontname=\"sans-serif\"];\n";
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const Node& node = tree.nodes[i];
    const std::string label =
        node.is_leaf() ? leaf_text(node, schema) : schema.attributes[node.attribute].name;
    out += fmt::format("  n{} [label={}{}];\n", i, in_quotes(label),
                       node.is_leaf() ? ", style=rounded" : "");
    const std::size_t name = node.is_leaf() ? 0 : label.size() + 1;
    for (std::uint32_t b = 0; b < tree.branches(node).size(); ++b) {
      out += fmt::format("  n{} -> n{} [label={}];\n", i, tree.branches(node)[b],
                         in_quotes(branch_condition(tree, node, b, schema).substr(name)));
    }
  }
  return out + "}\n";
}

namespace {

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

std::string any_value(const std::string& name, const std::vector<std::uint32_t>& values) {
  std::string any;
  for (const std::uint32_t v : values) {
    any += fmt::format("{}{} == {}", any.empty() ? "" : " || ", name, v);
  }
  return any;
}

std::string condition(const Tree& tree, const Node& node, std::uint32_t branch,
                      const Schema& schema) {
  const std::string name = identifier(schema.attributes[node.attribute].name);
  if (node.test == TestKind::kThreshold) return fmt::format("{} <= {}", name, c_float(node.cut));
  if (node.test == TestKind::kValues) return fmt::format("{} == {}", name, branch + 1);
  return any_value(name, group_values(tree, node, branch));
}

std::string c_classes_and_signature(const Schema& schema, std::string_view function) {
  std::string out = fmt::format("const char *const {}_classes[] = {{", function);
  for (std::size_t c = 0; c < schema.classes.size(); ++c) {
    out += fmt::format("{}{}", c == 0 ? "" : ", ", in_quotes(schema.classes[c]));
  }
  std::string parameters;
  for (const Attribute& attribute : schema.attributes) {
    if (attribute.kind == AttributeKind::kIgnored) continue;
    parameters += fmt::format("{}{} {}", parameters.empty() ? "" : ", ",
                              attribute.kind == AttributeKind::kContinuous ? "float" : "int",
                              identifier(attribute.name));
  }
  return out + fmt::format("}};\n\nint {}({})", function, parameters);
}

void open_node(const Tree& tree, const Node& node, std::string& out) {
  out += fmt::format(R"({{"leaf":{},"items":{},"err":{})", node.label, node.items, node.errors);
  if (node.is_leaf()) {
    out += ",\"dist\":{";
    const char* comma = "";
    for (const ClassWeight& entry : tree.leaf_distribution(node)) {
      out += fmt::format(R"({}"{}":{})", comma, entry.label, entry.weight);
      comma = ",";
    }
    out += '}';
    return;
  }
  out += fmt::format(R"(,"att":{})", node.attribute);
  if (node.test == TestKind::kThreshold) {
    out += fmt::format(R"(,"cut":{})", node.cut);
    if (tree.soft) out += fmt::format(R"(,"lower":{},"upper":{})", node.lower, node.upper);
  } else if (node.test == TestKind::kGroups) {
    out += ",\"subsets\":[";
    for (std::uint32_t b = 0; b < node.count; ++b) {
      out += fmt::format("{}[{}]", b == 0 ? "" : ",", join(group_values(tree, node, b), ","));
    }
    out += ']';
  }
  out += ",\"br\":[";
}

std::string condition_c(const Condition& condition, const Schema& schema) {
  const Attribute& attribute = schema.attributes[condition.attribute];
  const std::string name = identifier(attribute.name);
  switch (condition.kind) {
    case ConditionKind::kThreshold: {
      // The reader's mark for an unknown number meets no condition.
      const std::string test =
          fmt::format("{} {} {}", name, condition.above ? ">" : "<=", c_float(condition.cut));
      return condition.above && condition.cut >= kUnknownNumber
                 ? test
                 : fmt::format("{} != {} && {}", name, c_float(kUnknownNumber), test);
    }
    case ConditionKind::kValue:
      return fmt::format("{} == {}", name, condition.value);
    case ConditionKind::kGroup:
      break;
  }
  const std::string any = any_value(name, condition.values);
  return condition.values.size() == 1 ? any : "(" + any + ")";
}

}  // namespace

// A C function of nested ifs.
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

// A C function with one if for each rule, in order.
std::string rules_c(const RuleSet& set, const Schema& schema, std::string_view function) {
  std::string out = c_classes_and_signature(schema, function) + " {\n";
  for (const Rule& rule : set.rules) {
    if (rule.error > kMostError) continue;
    std::string all;
    for (const Condition& condition : rule.conditions) {
      all += fmt::format("{}{}", all.empty() ? "" : " && ", condition_c(condition, schema));
    }
    out += fmt::format("  if ({}) return {};\n", all, rule.label);
  }
  return out + fmt::format("  return {};\n}}\n", set.default_label);
}

}  // namespace colltree::c45
