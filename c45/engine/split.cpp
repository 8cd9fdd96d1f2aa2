// SPDX-License-Identifier: BSD-3-Clause
#include "engine/split.h"

#include <algorithm>
#include <utility>

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

namespace {

// The known part of a table: what gains refer to.
struct KnownPart {
  float items = 0;  // weight of all cases, N
  float known = 0;  // K
  float unknown_rate = 0;
  float base = 0;  // information of the classes, per case
};

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

// Gain of the split into rows 1..values; kNotAvailable unless two rows hold `min_weight`.
float discrete_gain(const ValueTable& table, const KnownPart& part, float min_weight) {
  int large = 0;
  for (std::size_t v = 1; v <= table.values; ++v) large += table.row_weight[v] >= min_weight;
  if (large < 2) return kNotAvailable;
  float bits = 0;
  for (std::size_t v = 1; v <= table.values; ++v) bits += entropy_bits(table.row(v));
  bits /= part.known;
  return (1 - part.unknown_rate) * (part.base - bits);
}

// Split information; the unknown values are one more outcome.
float discrete_info(const ValueTable& table, float items) {
  return entropy_bits(table.row_weight) / items;
}

// Gain ratio, or gain with -g; kNotAvailable when it does not reach `min_gain`.
float worth(float gain, float info, float min_gain, bool gain_only) {
  if (gain_only) return info > 0 && gain > -kEpsilon ? gain : kNotAvailable;
  return gain >= min_gain - kEpsilon && info > kEpsilon ? gain / info : kNotAvailable;
}

}  // namespace

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

namespace {

constexpr float kOne = 1.0F;  // -m while blocks are merged

// Attribute value grouping (-s): merges the values of a discrete attribute into blocks while the
// gain ratio rises (reference/c45-release8.md, section 4). O(k^3 x classes) for k values.
class Grouping {
 public:
  Grouping(const ValueTable& table, float items, float min_weight, bool gain_only)
      : part_(known_part(table, items)),
        values_(table.values),
        min_weight_(min_weight),
        gain_only_(gain_only) {
    now_ = measure(table);
    blocks_.reset(0, table.classes);
    add_row(table, 0);
    for (std::uint32_t v = 1; v <= table.values; ++v) {
      if (table.row_weight[v] > 0.5) {
        add_row(table, v);
        members_.push_back({v});
        ++blocks_.values;
      } else {
        missing_.push_back(v);
      }
    }
  }

  Split run() {
    if (merge_pure_blocks()) now_ = measure(blocks_);
    min_gain_ = now_.gain / 2;
    while (blocks_.values > 2 && merge_best_pair()) {
    }
    Split split;
    if (now_.worth <= 0) return split;
    split.gain = discrete_gain(blocks_, part_, min_weight_);
    split.info = now_.info;
    describe(split);
    return split;
  }

 private:
  struct Measure {
    float gain = 0;
    float info = 0;
    float worth = 0;
  };
  struct Pair {
    std::size_t first;
    std::size_t second;
    Measure measure;
  };

  void add_row(const ValueTable& table, std::size_t v) {
    const auto row = table.row(v);
    if (v == 0) {
      blocks_.weight.assign(row.begin(), row.end());
      blocks_.row_weight.assign(1, table.row_weight[0]);
      return;
    }
    blocks_.weight.insert(blocks_.weight.end(), row.begin(), row.end());
    blocks_.row_weight.push_back(table.row_weight[v]);
  }

  Measure measure(const ValueTable& table) const {
    Measure m;
    m.gain = discrete_gain(table, part_, kOne);
    m.info = discrete_info(table, part_.items);
    m.worth = worth(m.gain, m.info, static_cast<float>(kEpsilon), gain_only_);
    return m;
  }

  // Block `second` joins `first`; the last block moves into its slot.
  static void merge(ValueTable& blocks, std::size_t first, std::size_t second) {
    const std::size_t last = blocks.values;
    for (std::size_t c = 0; c < blocks.classes; ++c) {
      blocks.at(first, c) += blocks.at(second, c);
      blocks.at(second, c) = blocks.at(last, c);
    }
    blocks.row_weight[first] += blocks.row_weight[second];
    blocks.row_weight[second] = blocks.row_weight[last];
    blocks.weight.resize(last * blocks.classes);
    blocks.row_weight.resize(last);
    --blocks.values;
  }

  void merge_for_good(std::size_t first, std::size_t second) {
    merge(blocks_, first, second);
    auto& into = members_[first - 1];
    auto& from = members_[second - 1];
    into.insert(into.end(), from.begin(), from.end());
    std::swap(from, members_.back());
    members_.pop_back();
  }

  bool merge_pure_blocks() {
    bool merged = false;
    for (std::size_t v1 = 1; v1 < blocks_.values; ++v1) {
      const std::optional<std::size_t> pure = only_class(v1);
      if (!pure) continue;
      for (std::size_t v2 = v1 + 1; v2 <= blocks_.values;) {
        if (blocks_.at(v2, *pure) >= blocks_.row_weight[v2] - 0.1) {
          merge_for_good(v1, v2);
          merged = true;
        } else {
          ++v2;
        }
      }
    }
    return merged;
  }

  std::optional<std::size_t> only_class(std::size_t v) {
    for (std::size_t c = 0; c < blocks_.classes; ++c) {
      if (blocks_.at(v, c) < 0.1) continue;
      if (blocks_.row_weight[v] - blocks_.at(v, c) < 0.1) return c;
      return std::nullopt;
    }
    return std::nullopt;
  }

  int reasonable_blocks() const {
    int count = 0;
    for (std::size_t v = 1; v <= blocks_.values; ++v) count += blocks_.row_weight[v] >= min_weight_;
    return count;
  }

  std::size_t heaviest() const {
    std::size_t best = 1;
    for (std::size_t v = 2; v <= blocks_.values; ++v) {
      if (blocks_.row_weight[v] > blocks_.row_weight[best]) best = v;
    }
    return best;
  }

  std::optional<Pair> best_pair(int reasonable) const {
    const std::size_t barred = reasonable < 3 ? heaviest() : 0;
    std::optional<Pair> best;
    float best_gain = 0;
    float best_worth = 0;
    for (std::size_t v1 = 1; v1 < blocks_.values; ++v1) {
      for (std::size_t v2 = v1 + 1; v2 <= blocks_.values; ++v2) {
        if (v1 == barred || v2 == barred) continue;
        ValueTable tried = blocks_;
        merge(tried, v1, v2);
        const Measure m = measure(tried);
        const bool reaches = m.gain >= min_gain_ && best_gain < min_gain_;
        const bool any = !best && (gain_only_ || reasonable < 2);
        if (reaches || m.worth >= best_worth || any) {
          best = Pair{v1, v2, m};
          best_gain = m.gain;
          best_worth = m.worth;
        }
      }
    }
    return best;
  }

  bool merge_best_pair() {
    const int reasonable = reasonable_blocks();
    const std::optional<Pair> best = best_pair(reasonable);
    if (!best) return false;
    if (!gain_only_ && reasonable >= 2) {
      const Measure& m = best->measure;
      if (m.worth < now_.worth + 1e-5) return false;
      if (m.worth == now_.worth && m.gain < now_.gain) return false;
    }
    merge_for_good(best->first, best->second);
    now_ = best->measure;
    return true;
  }

  void describe(Split& split) const {
    split.group_of.assign(values_, 0);
    for (std::uint32_t b = 0; b < members_.size(); ++b) {
      for (const std::uint32_t v : members_[b]) split.group_of[v - 1] = b;
    }
    split.groups = static_cast<std::uint32_t>(members_.size());
    for (const std::uint32_t v : missing_) split.group_of[v - 1] = split.groups;
    if (!missing_.empty()) ++split.groups;
  }

  KnownPart part_;
  std::size_t values_;
  float min_weight_;
  bool gain_only_;
  ValueTable blocks_;  // row 0 the unknown value, row b block b
  std::vector<std::vector<std::uint32_t>> members_;
  std::vector<std::uint32_t> missing_;
  Measure now_;
  float min_gain_ = 0;
};

}  // namespace

Split evaluate_discrete(const ValueTable& table, float items, float min_weight,
                        const TreeOptions& options) {
  if (items <= table.row_weight[0]) return {};  // all values are unknown
  if (options.group && table.values > 2) {
    return Grouping(table, items, min_weight, options.gain_only).run();
  }
  Split split;
  split.gain = discrete_gain(table, known_part(table, items), min_weight);
  split.info = discrete_info(table, items);
  return split;
}

}  // namespace colltree::c45
