// SPDX-License-Identifier: BSD-3-Clause
// The continuous test of grow_ordered.h: fractional weights, summed in item order.
#include "model/c45/grow_ordered.h"

namespace colltree::c45 {

// Weight of the known cases. The order of these sums shows in the last bit, and the last bit shows
// in trees: all cases in the order before the unknown ones move, less the unknown ones summed by
// class and then over the classes.
Split OrderedGrower::evaluate_continuous(const Frame& frame, std::size_t attribute, float items) {
  const std::vector<float>& value = cases_.numbers[attribute];
  std::vector<float> unknown(schema_.classes.size(), 0.0F);
  float all = 0;
  for (std::size_t i = frame.first; i < frame.end; ++i) {
    const std::uint32_t item = order_->items[i];
    all += order_->weight[item];
    if (value[item] == kUnknownNumber) unknown[cases_.label[item]] += order_->weight[item];
  }
  const std::size_t first =
      bring_forward(order_->items, frame.first, frame.end,
                    [&](std::uint32_t item) { return value[item] == kUnknownNumber; });
  float unknown_weight = 0;
  for (const float w : unknown) unknown_weight += w;
  const float known = all - unknown_weight;
  if (known < 2 * min_weight_) return {};
  sort_as_release8(order_->items, first, frame.end, value);
  return scan_cuts(attribute, first, frame.end, known, items);
}

Split OrderedGrower::scan_cuts(std::size_t attribute, std::size_t first, std::size_t end,
                               float known, float items) {
  const std::vector<float>& value = cases_.numbers[attribute];
  const std::vector<std::uint32_t>& order = order_->items;
  std::vector<float> left(schema_.classes.size(), 0.0F);
  std::vector<float> right(schema_.classes.size(), 0.0F);
  for (std::size_t i = first; i < end; ++i) {
    right[cases_.label[order[i]]] += order_->weight[order[i]];
  }
  const float base = entropy_bits(right) / known;
  const float unknown_rate = static_cast<float>(1.0 - known / items);
  const float least = min_split(known, schema_.classes.size(), min_weight_);

  struct Cut {
    std::size_t at;
    float gain;
    float info;
  };
  std::vector<Cut> cuts;
  float low = 0;
  for (std::size_t i = first; i + 1 < end; ++i) {
    const float w = order_->weight[order[i]];
    const std::uint32_t c = cases_.label[order[i]];
    low += w;
    left[c] += w;
    right[c] -= w;
    if (low < least) continue;
    if (low > known - least) break;
    if (!(value[order[i]] < value[order[i + 1]] - 1e-5)) continue;
    const float high = known - low;
    Cut cut{i, kNotAvailable, 0};
    if (low >= min_weight_ && high >= min_weight_) {
      float bits = 0;
      bits += entropy_bits(left);
      bits += entropy_bits(right);
      bits /= known;
      cut.gain = (1 - unknown_rate) * (base - bits);
    }
    const float sides[] = {items - known, low, high};
    cut.info = entropy_bits(sides) / items;
    cuts.push_back(cut);
  }

  Split split;
  if (cuts.empty()) return split;
  const auto cost =
      static_cast<float>(log2_of(static_cast<float>(cuts.size())) / static_cast<double>(items));
  float best = 0;
  for (const Cut& cut : cuts) {
    const float penalised = cut.gain - cost;
    if (!(penalised > best)) continue;
    best = penalised;
    split.gain = penalised;
    split.info = cut.info;
    split.low = value[order[cut.at]];
    split.high = value[order[cut.at + 1]];
  }
  return split;
}

}  // namespace colltree::c45
