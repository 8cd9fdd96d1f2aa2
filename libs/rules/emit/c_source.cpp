// SPDX-License-Identifier: BSD-3-Clause
#include "emit/c_source.h"

#include <fmt/core.h>

#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "emit/emitter.h"
#include "emit/simplify.h"

namespace colltree::emit {

namespace {

// The parts of one decision function: declarations at file scope, and its statements.
struct CFunction {
  std::string before;
  std::string body;
};

// Returns a name as it can stand in a C string or comment.
std::string c_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain =
        std::isalnum(byte) != 0 || std::string_view("_-+.:;,@= ").find(c) != std::string_view::npos;
    result += plain ? std::string(1, c) : fmt::format("\\{:03o}", byte);
  }
  return result;
}

using Used = std::array<bool, kAttributes>;

void find_used(const model::RuleTree& tree, std::uint32_t index, Used& used) {
  const model::RuleNode& node = tree.nodes[index];
  if (node.is_leaf()) return;
  used[static_cast<std::size_t>(node.attribute)] = true;
  find_used(tree, node.low, used);
  find_used(tree, node.high, used);
}

// All functions have one signature: the two sizes, and the placement when some collective of the
// model needs it.
std::vector<Attribute> parameters_of(const model::RuleTree& tree) {
  Used used = {};
  for (const model::RuleTree::Root& root : tree.roots) find_used(tree, root.node, used);
  std::vector<Attribute> parameters = {Attribute::kCommunicatorSize, Attribute::kMessageSize};
  for (const Attribute attribute : {Attribute::kNodes, Attribute::kRanksPerNode}) {
    if (used[static_cast<std::size_t>(attribute)]) parameters.push_back(attribute);
  }
  return parameters;
}

// The parameters, each with its type before it, or as arguments.
std::string listed(const std::vector<Attribute>& parameters, std::string_view type) {
  std::string list;
  for (const Attribute attribute : parameters)
    list += fmt::format("{}{}{}", list.empty() ? "" : ", ", type, name(attribute));
  return list;
}

void write_methods(const model::RuleTree& tree, const std::string& prefix, std::string& out) {
  out += fmt::format("\nconst {0}_method {0}_methods[{1}] = {{\n", prefix, tree.methods.size());
  for (std::size_t i = 0; i < tree.methods.size(); ++i) {
    const Method& method = tree.methods[i];
    const std::string segment =
        method.segment_size ? fmt::format("INT64_C({})", *method.segment_size) : "-1";
    out += fmt::format("  {{\"{}\", {}}}, /* {} */\n", c_text(method.name()), segment, i);
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

void check_segments(const model::RuleTree& tree) {
  for (const Method& method : tree.methods) {
    if (method.segment_size && *method.segment_size > INT64_MAX) {
      throw Error(fmt::format("segment size {} does not fit C's int64_t", *method.segment_size));
    }
  }
}

void write_function(const model::RuleTree& tree, const model::RuleTree::Root& root,
                    const std::string& prefix, const std::vector<Attribute>& parameters,
                    const CFunction& function, std::string& out) {
  Used used = {};
  find_used(tree, root.node, used);
  const auto is_used = [&](Attribute attribute) -> bool& {
    return used[static_cast<std::size_t>(attribute)];
  };
  // Two attributes can ask for each size.
  is_used(Attribute::kCommunicatorSize) |= is_used(Attribute::kCommunicatorSizeIsPowerOfTwo);
  is_used(Attribute::kMessageSize) |= is_used(Attribute::kMessageSizeIsEven);
  out += fmt::format("\n{}int {}_decide_{}({}) {{\n", function.before, prefix,
                     name(root.collective), listed(parameters, "uint64_t "));
  for (const Attribute attribute : parameters) {
    if (!is_used(attribute)) out += fmt::format("  (void){};\n", name(attribute));
  }
  out += function.body + "}\n";
}

// Writes a self-contained C99 file: a table of methods, prototypes, and one function for each root.
// Throws UsageError for a prefix that is no C identifier.
std::string c_file(const model::Model& model, const model::RuleTree& tree,
                   const std::string& prefix,
                   CFunction (*make)(const model::RuleTree& tree, const model::RuleTree::Root& root,
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
      prefix, listed(parameters, ""), tree.methods.size());
  for (const model::RuleTree::Root& root : tree.roots) {
    out += fmt::format("int {}_decide_{}({});\n", prefix, name(root.collective),
                       listed(parameters, "uint64_t "));
  }
  write_methods(tree, prefix, out);
  for (const model::RuleTree::Root& root : tree.roots) {
    write_function(tree, root, prefix, parameters, make(tree, root, prefix), out);
  }
  return out;
}

}  // namespace

// Writes C99 source with a table, which is as fast for a thousand regions as for four, because no
// branch depends on the sizes. The lookup is that of a .cdt table (docs/reference/formats/cdt.md),
// with its constants known to the compiler.

namespace {

constexpr std::size_t kMostCells = std::size_t{1} << 20;

template <typename Number>
std::string array(const std::string& type, const std::string& array_name,
                  const std::vector<Number>& values, const char* literal) {
  std::string out = fmt::format("static const {} {}[{}] = {{", type, array_name, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    out += i % 12 == 0 ? "\n  " : " ";
    out += fmt::format(fmt::runtime(literal), values[i]) + ",";
  }
  return out + "\n};\n";
}

const char* small_type(std::size_t most) {
  return most < 256 ? "uint8_t" : most < 65536 ? "uint16_t" : "uint32_t";
}

std::string value_of(Attribute attribute) {
  if (attribute == Attribute::kMessageSizeIsEven) return "(uint64_t)(message_size % 2 == 0)";
  if (attribute != Attribute::kCommunicatorSizeIsPowerOfTwo) return std::string(name(attribute));
  return "(uint64_t)(communicator_size != 0 && (communicator_size & (communicator_size - 1)) == 0)";
}

// Up to this number of thresholds, comparing with each of them is less work than finding a bucket.
constexpr std::size_t kFewThresholds = 6;

// Counts the thresholds below a value without a branch.
std::string comparisons(const GridAxis& axis) {
  std::string out = fmt::format("  {{\n    const uint64_t value = {};\n    cell *= {};\n",
                                value_of(axis.attribute), axis.size());
  for (const std::uint64_t threshold : axis.thresholds) {
    out += fmt::format("    cell += value > UINT64_C({});\n", threshold);
  }
  return out + "  }\n";
}

// Writes the statements that find the interval of one value; they compute log2 by halves where the
// compiler has no instruction for it.
std::string lookup(const GridAxis& axis, const Buckets& buckets, const std::string& arrays) {
  std::string out = fmt::format(
      "  {{\n    const uint64_t value = {};\n"
      "    const uint64_t raised = value | UINT64_C({});\n",
      value_of(axis.attribute), std::uint64_t{1} << buckets.mantissa);
  out +=
      "    unsigned exponent;\n"
      "#ifdef __GNUC__\n"
      "    exponent = 63U - (unsigned)__builtin_clzll(raised);\n"
      "#else\n"
      "    uint64_t rest = raised;\n"
      "    unsigned half;\n"
      "    exponent = 0;\n"
      "    for (half = 32; half > 0; half /= 2) {\n"
      "      if (rest >> half) { exponent += half; rest >>= half; }\n"
      "    }\n"
      "#endif\n";
  out += fmt::format(
      "    {{\n      const unsigned shift = exponent - {0}U;\n"
      "      const uint64_t bucket = ((uint64_t)shift << {0}) + (value >> shift);\n"
      "      const unsigned start = {1}_start[bucket < {2} ? bucket : {2}];\n"
      "      cell = cell * {3} + start;\n",
      buckets.mantissa, arrays, buckets.start.size() - 1, axis.size());
  for (std::uint32_t probe = 0; probe < buckets.probes; ++probe) {
    out += fmt::format("      cell += value > {}[start + {}];\n", arrays, probe);
  }
  return out + "    }\n  }\n";
}

// Writes the same decisions as a table, or nothing when it would have more than `most_cells`.
std::optional<CFunction> c_table(const model::RuleTree& tree, const model::RuleTree::Root& root,
                                 const std::string& prefix, std::size_t most_cells) {
  const std::optional<model::LabelGrid> grid = tabulate(tree, root, most_cells);
  if (!grid) return std::nullopt;
  CFunction function;
  const std::string stem = fmt::format("{}_{}", prefix, name(root.collective));
  function.body = "  size_t cell = 0;\n";
  for (const GridAxis& axis : grid->axes) {
    if (axis.thresholds.empty()) continue;  // one interval
    if (axis.thresholds.size() <= kFewThresholds) {
      function.body += comparisons(axis);
      continue;
    }
    const Buckets buckets = best_buckets(axis.thresholds);
    const std::string arrays = fmt::format("{}_{}", stem, name(axis.attribute));
    std::vector<std::uint64_t> thresholds = axis.thresholds;
    thresholds.insert(thresholds.end(), buckets.probes, UINT64_MAX);
    function.before += array("uint64_t", arrays, thresholds, "UINT64_C({})");
    function.before += array(small_type(axis.size()), arrays + "_start", buckets.start, "{}");
    function.body += lookup(axis, buckets, arrays);
  }
  function.before += array(small_type(tree.methods.size()), stem + "_cells", grid->labels, "{}");
  function.body += fmt::format("  return {}_cells[cell];\n", stem);
  return function;
}

CFunction table_or_error(const model::RuleTree& tree, const model::RuleTree::Root& root,
                         const std::string& prefix) {
  std::optional<CFunction> function = c_table(tree, root, prefix, kMostCells);
  if (function) return *function;
  throw Error(fmt::format("the table of {} would be too large; use colltree emit c",
                          name(root.collective)));
}

}  // namespace

std::string emit_c_table(const model::Model& model, const EmitOptions& options) {
  return c_file(model, simplify(model.rules), options.prefix, table_or_error);
}

// Writes C99 source with nested two-way tests (2007, 3.2: each quadrant test of the paper is a test
// of the communicator size around tests of the message size), or in the faster of the two forms.

namespace {

std::string condition(const model::RuleNode& node) {
  if (node.attribute == Attribute::kCommunicatorSizeIsPowerOfTwo) {
    return "communicator_size == 0 || (communicator_size & (communicator_size - 1)) != 0";
  }
  if (node.attribute == Attribute::kMessageSizeIsEven) return "message_size % 2 != 0";
  return fmt::format("{} <= UINT64_C({})", name(node.attribute), node.threshold);
}

void write_node(const model::RuleTree& tree, std::uint32_t index, std::size_t indent,
                std::string& out) {
  const model::RuleNode& node = tree.nodes[index];
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

// The number of cells that fit in a first-level cache beside the data of an application.
constexpr std::size_t kMostFastCells = std::size_t{1} << 14;
// Up to this number, the ifs cost no more than the lookups of a table even when no branch is
// predicted (docs/tasks/c-code.md).
constexpr std::uint64_t kFewLeaves = 3;

// Writes the tests of the tree as nested two-way ifs.
CFunction nested_ifs(const model::RuleTree& tree, const model::RuleTree::Root& root,
                     const std::string&) {
  CFunction function;
  write_node(tree, root.node, 1, function.body);
  return function;
}

CFunction faster_form(const model::RuleTree& tree, const model::RuleTree::Root& root,
                      const std::string& prefix) {
  if (model::shape(tree, root.node).leaves > kFewLeaves) {
    if (auto table = c_table(tree, root, prefix, kMostFastCells)) return std::move(*table);
  }
  return nested_ifs(tree, root, prefix);
}

}  // namespace

std::string emit_c_nested(const model::Model& model, const EmitOptions& options) {
  return c_file(model, tree_to_emit(model, options), options.prefix, nested_ifs);
}

std::string emit_c(const model::Model& model, const EmitOptions& options) {
  if (options.plain) return emit_c_nested(model, options);  // its tests, no table
  return c_file(model, tree_to_emit(model), options.prefix, faster_form);
}

}  // namespace colltree::emit
