// SPDX-License-Identifier: BSD-3-Clause
#include "emit/cdt_table.h"

#include "emit/buckets.h"
#include "emit/bytes.h"
#include "emit/tabulate.h"
#include "runtime/cdt_format.h"

namespace colltree {

namespace {

void write_axis(const GridAxis& axis, const Buckets& buckets, Bytes& out) {
  out.u32(static_cast<std::uint32_t>(axis.attribute));
  out.u32(buckets.mantissa);
  out.u32(static_cast<std::uint32_t>(buckets.start.size()));
  out.u32(static_cast<std::uint32_t>(axis.thresholds.size()));
  out.u32(buckets.probes);
  out.u32(0);
}

}  // namespace

std::optional<std::string> table_section(const RuleTree& tree, const RuleTree::Root& root) {
  constexpr std::size_t kMostCells = std::size_t{1} << 20;
  const std::optional<LabelGrid> grid = tabulate(tree, root, kMostCells);
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

}  // namespace colltree
