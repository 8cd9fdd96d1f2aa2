// SPDX-License-Identifier: BSD-3-Clause
#include "emit/cdt.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/error.h"
#include "decision/cdt_format.h"
#include "emit/emitter.h"
#include "emit/simplify.h"
#include "model/rule_tree.h"

namespace colltree::emit {

namespace {

// Appends values as little-endian bytes.
struct Bytes {
  std::string content;

  void u16(std::uint16_t value) { little_endian(value, 2); }
  void u32(std::uint32_t value) { little_endian(value, 4); }
  void u64(std::uint64_t value) { little_endian(value, 8); }
  void pad() { content.append((8 - content.size() % 8) % 8, '\0'); }

  // Appends the text with its final 0 unless it is there already, and returns its offset. Control
  // characters become '?', because readers refuse them.
  std::uint32_t text(std::string value) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      const auto* position = reinterpret_cast<const unsigned char*>(value.c_str()) + i;
      const std::uint32_t control = *position == 0 ? 1 : cdt::control_bytes(position);
      if (control > 0) value.replace(i, control, "?");
    }
    value += '\0';
    std::size_t position = content.find(value);
    if (position == std::string::npos) {
      position = content.size();
      content += value;
    }
    return static_cast<std::uint32_t>(position);
  }

 private:
  void little_endian(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) content += static_cast<char>(value >> (8 * i));
  }
};

void write_axis(const GridAxis& axis, const Buckets& buckets, Bytes& out) {
  out.u32(static_cast<std::uint32_t>(axis.attribute));
  out.u32(buckets.mantissa);
  out.u32(static_cast<std::uint32_t>(buckets.start.size()));
  out.u32(static_cast<std::uint32_t>(axis.thresholds.size()));
  out.u32(buckets.probes);
  out.u32(0);
}

// Writes the table of one collective as a section of a .cdt, or nothing when it would have more
// than 2^20 cells or more than 2^15 intervals on an axis.
std::optional<std::string> table_section(const model::RuleTree& tree,
                                         const model::RuleTree::Root& root) {
  constexpr std::size_t kMostCells = std::size_t{1} << 20;
  const std::optional<model::LabelGrid> grid = tabulate(tree, root, kMostCells);
  if (!grid) return std::nullopt;
  std::vector<Buckets> buckets;
  for (const GridAxis& axis : grid->axes) {
    if (axis.size() > cdt::kMostThresholds) return std::nullopt;
    buckets.push_back(best_buckets(axis.thresholds));
  }
  const std::uint32_t cell_bytes = tree.methods.size() <= 256 ? 1 : 2;
  Bytes out;
  out.u32(static_cast<std::uint32_t>(grid->axes.size()));
  out.u32(cell_bytes);
  out.u32(static_cast<std::uint32_t>(grid->labels.size()));
  out.u32(0);
  for (std::size_t i = 0; i < buckets.size(); ++i) write_axis(grid->axes[i], buckets[i], out);
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    for (const std::uint64_t threshold : grid->axes[i].thresholds) out.u64(threshold);
    for (std::uint32_t p = 0; p < buckets[i].probes; ++p) out.u64(UINT64_MAX);
    for (const std::uint16_t start : buckets[i].start) out.u16(start);
    out.pad();
  }
  for (const std::uint16_t label : grid->labels) {
    out.content += static_cast<char>(label);
    if (cell_bytes == 2) out.content += static_cast<char>(label >> 8);
  }
  return out.content;
}

static_assert(cdt::kAttributes == kAttributes);

// Lists the inner nodes under a root, children after their parents.
std::string tree_section(const model::RuleTree& tree, std::uint32_t root) {
  std::vector<std::uint32_t> number(tree.nodes.size());
  std::vector<bool> reached(tree.nodes.size());
  std::vector<std::uint32_t> inner;
  reached[root] = true;
  for (std::uint32_t i = root; i < tree.nodes.size(); ++i) {
    if (!reached[i] || tree.nodes[i].is_leaf()) continue;
    number[i] = static_cast<std::uint32_t>(inner.size());
    inner.push_back(i);
    reached[tree.nodes[i].low] = reached[tree.nodes[i].high] = true;
  }
  if (inner.size() > cdt::kMostNodes) {
    throw Error(
        fmt::format("{} tests are more than the {} of a .cdt tree", inner.size(), cdt::kMostNodes));
  }
  const auto reference = [&](std::uint32_t node) {
    const model::RuleNode& target = tree.nodes[node];
    return target.is_leaf() ? target.method | cdt::kLeafBit : number[node];
  };
  Bytes out;
  out.u32(static_cast<std::uint32_t>(inner.size()));
  out.u32(reference(root));
  for (const std::uint32_t i : inner) {
    const model::RuleNode& node = tree.nodes[i];
    if (node.threshold >= cdt::kMostValue) {
      throw Error(
          fmt::format("threshold {} is beyond what a .cdt tree holds; use the table form: "
                      "colltree emit table",
                      node.threshold));
    }
    out.u16(static_cast<std::uint16_t>(reference(node.low)));
    out.u16(static_cast<std::uint16_t>(reference(node.high)));
    out.u64(node.threshold * 8 + static_cast<std::uint64_t>(node.attribute));
  }
  return out.content;
}

using Section = std::pair<cdt::Form, std::string>;  // with its content

bool fits_tree(const model::RuleTree& tree, std::uint32_t root) {
  if (model::shape(tree, root).leaves > cdt::kMostNodes) return false;
  return std::ranges::all_of(tree.nodes, [](const model::RuleNode& node) {
    return node.is_leaf() || node.threshold < cdt::kMostValue;
  });
}

Section make_section(const model::RuleTree& tree, const model::RuleTree::Root& root, CdtForm form) {
  if (form != CdtForm::kTree) {
    const auto table = table_section(tree, root);
    const bool any_size = form == CdtForm::kTable || !fits_tree(tree, root.node);
    if (table && (any_size || table->size() <= kTableBudgetBytes)) return {cdt::kTable, *table};
    if (form == CdtForm::kTable) {
      throw Error(fmt::format("the table of {} would be too large; use colltree emit cdt",
                              name(root.collective)));
    }
  }
  return {cdt::kTree, tree_section(tree, root.node)};
}

void write_methods(const model::RuleTree& tree, Bytes& out, Bytes& strings) {
  for (const Method& method : tree.methods) {
    out.u64(method.segment_size.value_or(cdt::kRuledByLibrary));
    out.u32(strings.text(method.name()));
    out.u32(0);
  }
}

std::string header(const model::RuleTree& tree, std::uint32_t roots_at, std::uint32_t strings_at,
                   std::uint32_t strings_size, const std::array<std::uint32_t, 4>& origin) {
  Bytes out;
  out.u32(static_cast<std::uint32_t>(tree.methods.size()));
  out.u32(cdt::kHeaderBytes);
  out.u32(static_cast<std::uint32_t>(tree.roots.size()));
  out.u32(roots_at);
  out.u32(strings_at);
  out.u32(strings_size);
  for (const std::uint32_t text : origin) out.u32(text);
  return out.content;
}

// Puts magic, version, size and checksum in front of the content that the checksum covers.
std::string seal(const std::string& checked) {
  Bytes out;
  out.content.assign(reinterpret_cast<const char*>(cdt::kMagic), sizeof cdt::kMagic);
  out.u32(cdt::kVersion);
  out.u32(static_cast<std::uint32_t>(checked.size() + cdt::kCheckedFrom));
  out.u64(cdt::checksum(reinterpret_cast<const unsigned char*>(checked.data()), checked.size()));
  return out.content + checked;
}

}  // namespace

std::string make_cdt(const model::RuleTree& tree, const CdtOrigin& origin, CdtForm form) {
  if (tree.methods.size() > cdt::kMostMethods) {
    throw Error(fmt::format("{} methods are more than the {} of a .cdt", tree.methods.size(),
                            cdt::kMostMethods));
  }
  Bytes strings;
  Bytes body;
  write_methods(tree, body, strings);
  std::vector<Section> sections;
  for (const model::RuleTree::Root& root : tree.roots) {
    sections.push_back(make_section(tree, root, form));
  }
  const auto roots_at = static_cast<std::uint32_t>(cdt::kHeaderBytes + body.content.size());
  auto offset = static_cast<std::uint32_t>(roots_at + tree.roots.size() * cdt::kRootBytes);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    body.u32(strings.text(std::string(name(tree.roots[i].collective))));
    const auto& [form_of_root, content] = sections[i];
    body.u32(form_of_root);
    body.u32(offset);
    body.u32(static_cast<std::uint32_t>(content.size()));
    offset += static_cast<std::uint32_t>((content.size() + 7) / 8 * 8);
  }
  for (const auto& [form_of_root, content] : sections) {
    body.content += content;
    body.pad();
  }
  const std::array<std::uint32_t, 4> texts = {
      strings.text(origin.description), strings.text(origin.provenance),
      strings.text(origin.algorithms), strings.text(origin.mpi)};
  const auto strings_size = static_cast<std::uint32_t>(strings.content.size());
  return seal(header(tree, roots_at, offset, strings_size, texts) + body.content + strings.content);
}

std::string emit_cdt(CdtForm form, const model::Model& model, const EmitOptions& options) {
  const std::string& whose = model.origin.algorithms;
  // The library that reads the file runs our own algorithms.
  if (options.notes != nullptr && !whose.empty() && whose != cdt::kPortable)
    options.notes->push_back(fmt::format(
        "the methods are algorithms of {}, so colltree run refuses this file; emit rules for {} "
        "instead, or measure the portable algorithms",
        whose, whose));
  const model::RuleTree tree = form == CdtForm::kTable ? model.rules : tree_to_emit(model, options);
  return make_cdt(tree, {describe(model), model.origin.provenance, whose, model.origin.mpi}, form);
}

}  // namespace colltree::emit
