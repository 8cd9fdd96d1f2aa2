// SPDX-License-Identifier: BSD-3-Clause
// C99 source as a table: as fast for a thousand regions as for four, no branch on the sizes. The
// same lookup as in a .cdt table (docs/formats/cdt.md), with its constants known to the compiler.
#include <fmt/format.h>

#include "base/error.h"
#include "emit/buckets.h"
#include "emit/c_file.h"
#include "emit/simplify.h"
#include "emit/tabulate.h"

namespace colltree {

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

// Up to here comparing with each threshold is less work than finding a bucket.
constexpr std::size_t kFewThresholds = 6;

// The number of thresholds below a value, added up without a branch.
std::string comparisons(const GridAxis& axis) {
  std::string out = fmt::format("  {{\n    const uint64_t value = {};\n    cell *= {};\n",
                                value_of(axis.attribute), axis.size());
  for (const std::uint64_t threshold : axis.thresholds) {
    out += fmt::format("    cell += value > UINT64_C({});\n", threshold);
  }
  return out + "  }\n";
}

// The statements that find the interval of one value: log2 by halves where the compiler has no
// instruction for it.
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

CFunction table_or_error(const RuleTree& tree, const RuleTree::Root& root,
                         const std::string& prefix) {
  std::optional<CFunction> function = c_table(tree, root, prefix, kMostCells);
  if (function) return *function;
  throw Error(fmt::format("the table of {} would be too large; use colltree emit c",
                          name(root.collective)));
}

}  // namespace

std::optional<CFunction> c_table(const RuleTree& tree, const RuleTree::Root& root,
                                 const std::string& prefix, std::size_t most_cells) {
  const std::optional<LabelGrid> grid = tabulate(tree, root, most_cells);
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

std::string emit_c_table(const DecisionFunction& model, const EmitOptions& options) {
  return c_file(model, simplify(model.lower()), options.prefix, table_or_error);
}

}  // namespace colltree
