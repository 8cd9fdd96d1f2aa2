// SPDX-License-Identifier: BSD-3-Clause
// The best cut of a sorted list, in two passes over it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/grow_presorted.h"

namespace colltree::c45 {

float CutScan::information(const Node& node, std::size_t items) const {
  float sum = 0;
  for (const std::uint32_t c : node.classes.present()) {
    sum = static_cast<float>(static_cast<double>(sum) + log_[node.classes[c]]);
  }
  return static_cast<float>(log_[items] - static_cast<double>(sum)) / static_cast<float>(items);
}

void CutScan::reset(const Node& node) {
  for (const std::uint32_t c : node.classes.present()) side_[c] = {0, node.classes[c]};
}

// First pass: the bits that each cut leaves, in float64, O(1) for a case. Returns the smallest.
double CutScan::measure_losses(std::span<const Entry> entries, Range range, std::size_t& tries) {
  const double* x = log_.data();
  const std::size_t n = entries.size();
  double gathered = 0;  // sum of v log2 v over the classes of both sides, relative to the start
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t low = 1; low <= range.last; ++low) {
    const Entry& entry = entries[low - 1];
    Sides& side = side_[entry.label];
    gathered += (x[side.low + 1] - x[side.low]) - (x[side.high] - x[side.high - 1]);
    ++side.low;
    --side.high;
    double loss = std::numeric_limits<double>::infinity();
    if (low >= range.first && entry.value < entries[low].value - 1e-5) {
      ++tries;
      loss = x[low] + x[n - low] - gathered;
      smallest = std::min(smallest, loss);
    }
    loss_[low] = loss;
  }
  return smallest;
}

// Release 8's float32 sums, class by class.
float CutScan::exact_gain(const Node& node, std::size_t items, std::size_t low) const {
  float low_sum = 0;
  float high_sum = 0;
  for (const std::uint32_t c : node.classes.present()) {
    low_sum = static_cast<float>(static_cast<double>(low_sum) + log_[side_[c].low]);
    high_sum = static_cast<float>(static_cast<double>(high_sum) + log_[side_[c].high]);
  }
  const auto low_bits = static_cast<float>(log_[low] - static_cast<double>(low_sum));
  const auto high_bits = static_cast<float>(log_[items - low] - static_cast<double>(high_sum));
  return node.base - (low_bits + high_bits) / static_cast<float>(items);
}

float CutScan::split_info(std::size_t items, std::size_t low) const {
  auto sum = static_cast<float>(log_[low]);
  sum = static_cast<float>(static_cast<double>(sum) + log_[items - low]);
  return static_cast<float>(log_[items] - static_cast<double>(sum)) / static_cast<float>(items);
}

// Second pass: the best, as release 8 computes them, of the cuts that leave at most `limit` bits.
Split CutScan::best_within(double limit, std::span<const Entry> entries, const Node& node,
                           Range range, float cost, std::size_t& cut_at) {
  Split split;
  reset(node);
  float best = 0;
  std::size_t counted = 0;
  for (std::size_t low = range.first; low <= range.last; ++low) {
    if (!(loss_[low] <= limit)) continue;
    for (; counted < low; ++counted) {
      Sides& side = side_[entries[counted].label];
      ++side.low;
      --side.high;
    }
    const float penalised = exact_gain(node, entries.size(), low) - cost;
    if (!(penalised > best)) continue;
    best = penalised;
    split.gain = penalised;
    cut_at = low;
  }
  if (best == 0) return split;
  split.info = split_info(entries.size(), cut_at);
  split.low = entries[cut_at - 1].value;
  split.high = entries[cut_at].value;
  return split;
}

Split CutScan::best_cut(std::span<const Entry> entries, const Node& node, float min_weight,
                        std::size_t& cut_at) {
  const std::size_t n = entries.size();
  const auto items = static_cast<float>(n);
  if (items < 2 * min_weight || entries.front().value == entries.back().value) return {};
  const float least = min_split(items, side_.size(), min_weight);
  if (items - least < least) return {};
  const Range range{static_cast<std::size_t>(std::ceil(least)),
                    std::min(n - 1, static_cast<std::size_t>(items - least))};
  reset(node);
  std::size_t tries = 0;
  // Bits lost are counted from the state before the first case: both sides' sums start as the
  // node's own sum of v log2 v, which the loss must subtract.
  double own = 0;
  for (const std::uint32_t c : node.classes.present()) own += log_[node.classes[c]];
  const double smallest = measure_losses(entries, range, tries) - own;
  if (tries == 0) return {};
  const auto cost =
      static_cast<float>(log2_of(static_cast<float>(tries)) / static_cast<double>(items));

  // How far release 8's float32 result may lie from the float64 one, in bits for all cases: one
  // rounding for each class in either sum, and a few of the results.
  constexpr double kUlp = 6e-8;  // more than 2^-24
  const auto cases = static_cast<double>(n);
  const double error =
      kUlp * ((static_cast<double>(node.classes.present().size()) + 8) * log_[n] + 100.0 * cases);
  const double best_gain = static_cast<double>(node.base) - smallest / cases;
  if (best_gain - cost < -error / cases) return {};
  return best_within(smallest + own + 2 * error, entries, node, range, cost, cut_at);
}

}  // namespace colltree::c45
