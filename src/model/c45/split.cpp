// SPDX-License-Identifier: BSD-3-Clause
#include "model/c45/split.h"

#include <algorithm>

namespace colltree::c45 {

void ValueTable::reset(std::size_t value_count, std::size_t class_count) {
  values = value_count;
  classes = class_count;
  weight.assign((values + 1) * classes, 0.0F);
  row_weight.assign(values + 1, 0.0F);
}

void ValueTable::sum_rows() {
  for (std::size_t v = 0; v <= values; ++v) {
    float sum = 0;
    for (const float w : row(v)) sum += w;
    row_weight[v] = sum;
  }
}

KnownPart known_part(const ValueTable& table, float items) {
  KnownPart part;
  part.items = items;
  part.known = items - table.row_weight[0];
  part.unknown_rate = table.row_weight[0] / items;
  // This one sum is kept in float64, unlike all others.
  double sum = 0;
  for (std::size_t c = 0; c < table.classes; ++c) {
    float of_class = 0;
    for (std::size_t v = 1; v <= table.values; ++v) of_class += table.row(v)[c];
    sum += x_log2_x(of_class);
  }
  part.base = static_cast<float>((x_log2_x(part.known) - sum) / static_cast<double>(part.known));
  return part;
}

float discrete_gain(const ValueTable& table, const KnownPart& part, float min_weight) {
  int large = 0;
  for (std::size_t v = 1; v <= table.values; ++v) large += table.row_weight[v] >= min_weight;
  if (large < 2) return kNotAvailable;
  float bits = 0;
  for (std::size_t v = 1; v <= table.values; ++v) bits += entropy_bits(table.row(v));
  bits /= part.known;
  return (1 - part.unknown_rate) * (part.base - bits);
}

float discrete_info(const ValueTable& table, float items) {
  return entropy_bits(table.row_weight) / items;
}

Split evaluate_values(const ValueTable& table, float items, float min_weight) {
  Split split;
  if (items <= table.row_weight[0]) return split;
  split.gain = discrete_gain(table, known_part(table, items), min_weight);
  split.info = discrete_info(table, items);
  return split;
}

float worth(float gain, float info, float min_gain, bool gain_only) {
  if (gain_only) return info > 0 && gain > -kEpsilon ? gain : kNotAvailable;
  return gain >= min_gain - kEpsilon && info > kEpsilon ? gain / info : kNotAvailable;
}

std::vector<bool> averaged_attributes(const Schema& schema, std::size_t cases, bool group) {
  const auto many = [&](const Attribute& a) {
    return static_cast<double>(a.values.size()) >= 0.3 * static_cast<double>(cases);
  };
  const bool all_many = std::ranges::all_of(schema.attributes, [&](const Attribute& a) {
    return a.kind == AttributeKind::kIgnored || (a.kind == AttributeKind::kDiscrete && many(a));
  });
  std::vector<bool> averaged;
  for (const Attribute& a : schema.attributes) {
    averaged.push_back(a.kind == AttributeKind::kContinuous || group || all_many || !many(a));
  }
  return averaged;
}

std::optional<std::size_t> choose(std::span<const Split> splits, const std::vector<bool>& averaged,
                                  bool gain_only) {
  float sum = 0;
  int count = 0;
  for (std::size_t a = 0; a < splits.size(); ++a) {
    if (splits[a].gain > -kEpsilon && averaged[a]) {
      sum += splits[a].gain;
      ++count;
    }
  }
  const float average = count > 0 ? sum / static_cast<float>(count) : 1e6F;
  std::optional<std::size_t> best;
  float best_worth = kNotAvailable;
  for (std::size_t a = 0; a < splits.size(); ++a) {
    if (!(splits[a].gain > -kEpsilon)) continue;
    const float value = worth(splits[a].gain, splits[a].info, average, gain_only);
    if (value > best_worth) {
      best_worth = value;
      best = a;
    }
  }
  return best;
}

float min_split(float known, std::size_t classes, float min_weight) {
  const auto tenth =
      static_cast<float>(0.10 * static_cast<double>(known) / static_cast<double>(classes));
  if (tenth <= min_weight) return min_weight;
  return tenth > 25 ? 25.0F : tenth;
}

}  // namespace colltree::c45
