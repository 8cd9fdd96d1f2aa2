// SPDX-License-Identifier: BSD-3-Clause
#include "emit/c_file.h"

#include <fmt/format.h>

#include <array>
#include <cctype>

#include "base/error.h"

namespace colltree {

// A name of an algorithm as a C string and inside a comment.
std::string c_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain =
        std::isalnum(byte) != 0 || std::string_view("_-+.:, ").find(c) != std::string_view::npos;
    result += plain ? std::string(1, c) : fmt::format("\\{:03o}", byte);
  }
  return result;
}

namespace {

using Used = std::array<bool, kAttributes>;

void find_used(const RuleTree& tree, std::uint32_t index, Used& used) {
  const RuleNode& node = tree.nodes[index];
  if (node.is_leaf()) return;
  used[static_cast<std::size_t>(node.attribute)] = true;
  find_used(tree, node.low, used);
  find_used(tree, node.high, used);
}

// The two sizes always, placement when some collective of the model needs it: one signature for
// all.
std::vector<Attribute> parameters_of(const RuleTree& tree) {
  Used used = {};
  for (const RuleTree::Root& root : tree.roots) find_used(tree, root.node, used);
  std::vector<Attribute> parameters = {Attribute::kCommunicatorSize, Attribute::kMessageSize};
  for (const Attribute attribute : {Attribute::kNodes, Attribute::kRanksPerNode}) {
    if (used[static_cast<std::size_t>(attribute)]) parameters.push_back(attribute);
  }
  return parameters;
}

std::string parameter_list(const std::vector<Attribute>& parameters) {
  std::string list;
  for (const Attribute attribute : parameters) {
    list += fmt::format("{}uint64_t {}", list.empty() ? "" : ", ", name(attribute));
  }
  return list;
}

std::string argument_list(const std::vector<Attribute>& parameters) {
  std::string list;
  for (const Attribute attribute : parameters) {
    list += fmt::format("{}{}", list.empty() ? "" : ", ", name(attribute));
  }
  return list;
}

void write_methods(const RuleTree& tree, const std::string& prefix, std::string& out) {
  out += fmt::format("\nconst {0}_method {0}_methods[{1}] = {{\n", prefix, tree.methods.size());
  for (std::size_t i = 0; i < tree.methods.size(); ++i) {
    const Method& method = tree.methods[i];
    const std::string segment =
        method.segment_size ? fmt::format("INT64_C({})", *method.segment_size) : "-1";
    out += fmt::format("  {{\"{}\", {}}}, /* {} */\n", c_text(method.algorithm), segment, i);
  }
  out += "};\n";
}

void check_prefix(const std::string& prefix) {
  bool valid = !prefix.empty() && std::isdigit(static_cast<unsigned char>(prefix[0])) == 0;
  for (const char c : prefix) {
    valid &= c == '_' || (std::isalnum(static_cast<unsigned char>(c)) != 0);
  }
  if (!valid) throw UsageError(fmt::format("--prefix: '{}' is not a C identifier", prefix));
}

void check_segments(const RuleTree& tree) {
  for (const Method& method : tree.methods) {
    if (method.segment_size && *method.segment_size > INT64_MAX) {
      throw Error(fmt::format("segment size {} does not fit C's int64_t", *method.segment_size));
    }
  }
}

void write_function(const RuleTree& tree, const RuleTree::Root& root, const std::string& prefix,
                    const std::vector<Attribute>& parameters, const CFunction& function,
                    std::string& out) {
  Used used = {};
  find_used(tree, root.node, used);
  const auto is_used = [&](Attribute attribute) -> bool& {
    return used[static_cast<std::size_t>(attribute)];
  };
  // Each size serves two attributes.
  is_used(Attribute::kCommunicatorSize) |= is_used(Attribute::kCommunicatorSizeIsPowerOfTwo);
  is_used(Attribute::kMessageSize) |= is_used(Attribute::kMessageSizeIsEven);
  out += fmt::format("\n{}int {}_decide_{}({}) {{\n", function.before, prefix,
                     name(root.collective), parameter_list(parameters));
  for (const Attribute attribute : parameters) {
    if (!is_used(attribute)) out += fmt::format("  (void){};\n", name(attribute));
  }
  out += function.body + "}\n";
}

}  // namespace

std::string c_file(const DecisionFunction& model, const RuleTree& tree, const std::string& prefix,
                   CFunction (*make)(const RuleTree& tree, const RuleTree::Root& root,
                                     const std::string& prefix)) {
  check_prefix(prefix);
  check_segments(tree);
  const std::vector<Attribute> parameters = parameters_of(tree);
  std::string out = fmt::format("/* {}. Generated; do not edit.\n", c_text(describe(model)));
  out += fmt::format(
      " *\n"
      " * {0}_decide_COLLECTIVE({1}) is an index into {0}_methods.\n"
      " * Sizes in ranks and bytes; every value is allowed, beyond the measured sizes the nearest\n"
      " * decision holds. Reentrant, no allocation, no state. C99.\n"
      " */\n"
      "#include <stddef.h>\n#include <stdint.h>\n\n"
      "typedef struct {{\n"
      "  const char *algorithm;\n"
      "  int64_t segment_size; /* bytes; 0: not segmented; -1: ruled by the library */\n"
      "}} {0}_method;\n\n"
      "extern const {0}_method {0}_methods[{2}];\n",
      prefix, argument_list(parameters), tree.methods.size());
  for (const RuleTree::Root& root : tree.roots) {
    out += fmt::format("int {}_decide_{}({});\n", prefix, name(root.collective),
                       parameter_list(parameters));
  }
  write_methods(tree, prefix, out);
  for (const RuleTree::Root& root : tree.roots) {
    write_function(tree, root, prefix, parameters, make(tree, root, prefix), out);
  }
  return out;
}

}  // namespace colltree
