// SPDX-License-Identifier: BSD-3-Clause
#include "emit/cdt_table.h"

#include <algorithm>

#include "emit/bytes.h"
#include "emit/tabulate.h"
#include "runtime/cdt_format.h"

namespace colltree {

namespace {

// How the values of one axis find their interval: a bucket says where to start, then a few probes.
struct Buckets {
  std::uint32_t mantissa = 0;
  std::uint32_t probes = 0;
  std::vector<std::uint16_t> start;
};

std::uint16_t below(const std::vector<std::uint64_t>& thresholds, std::uint64_t value) {
  const auto first = std::ranges::lower_bound(thresholds, value);
  return static_cast<std::uint16_t>(first - thresholds.begin());
}

Buckets make_buckets(const std::vector<std::uint64_t>& thresholds, std::uint32_t mantissa) {
  Buckets made{.mantissa = mantissa};
  // The bucket after the largest threshold and all later ones are the same: the last.
  const std::uint64_t beyond = thresholds.empty() ? 0 : thresholds.back() + 1;
  const std::uint32_t count = cdt::bucket_of(beyond, mantissa) + 1;
  for (std::uint32_t i = 0; i < count; ++i) {
    made.start.push_back(below(thresholds, cdt::bucket_begin(i, mantissa)));
    const std::size_t end =
        i + 1 == count ? thresholds.size() : below(thresholds, cdt::bucket_begin(i + 1, mantissa));
    made.probes = std::max(made.probes, static_cast<std::uint32_t>(end - made.start.back()));
  }
  return made;
}

// The fewest probes; among equals the fewest buckets. Buckets cost memory, a probe costs time.
Buckets best_buckets(const std::vector<std::uint64_t>& thresholds) {
  constexpr std::size_t kWorthIt = 160;  // 320 bytes for an axis
  Buckets best = make_buckets(thresholds, 0);
  for (std::uint32_t mantissa = 1; mantissa <= cdt::kMostMantissa && best.probes > 1; ++mantissa) {
    Buckets finer = make_buckets(thresholds, mantissa);
    if (finer.start.size() > kWorthIt) break;
    if (finer.probes < best.probes) best = std::move(finer);
  }
  return best;
}

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
