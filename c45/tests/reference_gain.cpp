// SPDX-License-Identifier: BSD-3-Clause
#include "reference_gain.h"

#include <algorithm>
#include <cmath>

namespace colltree::c45::reference {

namespace {

double lg(float x) { return x <= 0 ? 0.0 : std::log(double{x}) / 0.69314718055994530942; }

float total_info(const std::vector<float>& v) {
  float s = 0;
  float t = 0;
  for (const float x : v) {
    s = static_cast<float>(double{s} + double{x} * lg(x));
    t += x;
  }
  return static_cast<float>(double{t} * lg(t) - double{s});
}

std::vector<float> row_sums(const Table& table) {
  std::vector<float> sums;
  for (const auto& row : table) {
    float sum = 0;
    for (const float w : row) sum += w;
    sums.push_back(sum);
  }
  return sums;
}

// What stays the same while values are grouped.
struct Base {
  float items;
  float unknown_rate;
  float known;
  float info;
};

Base base_of(const Table& table, float items) {
  const float unknown = row_sums(table)[0];
  Base base{items, unknown / items, items - unknown, 0};
  double sum = 0;
  for (std::size_t c = 0; c < table[0].size(); ++c) {
    float f = 0;
    for (std::size_t v = 1; v < table.size(); ++v) f += table[v][c];
    sum += double{f} * lg(f);
  }
  base.info = static_cast<float>((double{base.known} * lg(base.known) - sum) / double{base.known});
  return base;
}

float gain_of(const Table& table, const Base& base, int weight) {
  const std::vector<float> sums = row_sums(table);
  int large = 0;
  float info = 0;
  for (std::size_t v = 1; v < table.size(); ++v) {
    if (sums[v] >= static_cast<float>(weight)) ++large;
    info += total_info(table[v]);
  }
  if (large < 2) return -1e-3F;
  info /= base.known;
  return (1 - base.unknown_rate) * (base.info - info);
}

float worth_of(float gain, float info, float least, bool gain_only) {
  constexpr double kEps = 1e-3;
  if (gain_only) return info > 0 && gain > -kEps ? gain : -1e-3F;
  if (gain >= least - kEps && info > kEps) return gain / info;
  return -1e-3F;
}

struct Value {
  float gain, info, worth;
};

Value value_of(const Table& blocks, const Base& base, bool gain_only) {
  Value value{};
  value.gain = gain_of(blocks, base, 1);
  value.info = total_info(row_sums(blocks)) / base.items;
  value.worth = worth_of(value.gain, value.info, 1e-3F, gain_only);
  return value;
}

using Members = std::vector<std::vector<std::size_t>>;

void join(Table& blocks, std::size_t v1, std::size_t v2) {
  for (std::size_t c = 0; c < blocks[v1].size(); ++c) blocks[v1][c] += blocks[v2][c];
  blocks[v2] = blocks.back();
  blocks.pop_back();
}

void join(Members& members, std::size_t v1, std::size_t v2) {
  members[v1].insert(members[v1].end(), members[v2].begin(), members[v2].end());
  if (v2 + 1 < members.size()) members[v2] = members.back();
  members.pop_back();
}

bool join_pure(Table& blocks, Members& members) {
  bool any = false;
  for (std::size_t v1 = 1; v1 + 1 < blocks.size(); ++v1) {
    const auto& row = blocks[v1];
    const auto first = std::ranges::find_if(row, [](float f) { return f >= 0.1; });
    if (first == row.end()) continue;
    const auto c = static_cast<std::size_t>(first - row.begin());
    if (!(row_sums(blocks)[v1] - row[c] < 0.1)) continue;
    std::size_t v2 = v1 + 1;
    while (v2 < blocks.size()) {
      if (blocks[v2][c] >= row_sums(blocks)[v2] - 0.1) {
        join(blocks, v1, v2);
        join(members, v1, v2);
        any = true;
      } else {
        ++v2;
      }
    }
  }
  return any;
}

}  // namespace

Candidate k_way(const Table& table, float items, int weight) {
  Candidate candidate;
  if (items <= row_sums(table)[0]) return candidate;
  candidate.gain = gain_of(table, base_of(table, items), weight);
  candidate.info = total_info(row_sums(table)) / items;
  return candidate;
}

Candidate grouped(const Table& table, float items, int weight, bool gain_only) {
  Candidate candidate;
  if (items <= row_sums(table)[0]) return candidate;
  const Base base = base_of(table, items);
  Value now = value_of(table, base, gain_only);
  Table blocks = {table[0]};
  Members members = {{}};
  std::vector<std::size_t> missing;
  for (std::size_t v = 1; v < table.size(); ++v) {
    if (row_sums(table)[v] > 0.5) {
      blocks.push_back(table[v]);
      members.push_back({v});
    } else {
      missing.push_back(v);
    }
  }
  if (join_pure(blocks, members)) now = value_of(blocks, base, gain_only);
  const float least_gain = now.gain / 2;
  while (blocks.size() > 3) {
    const std::vector<float> sums = row_sums(blocks);
    int large = 0;
    std::size_t heaviest = 1;
    for (std::size_t v = 1; v < blocks.size(); ++v) {
      large += sums[v] >= static_cast<float>(weight);
      if (sums[v] > sums[heaviest]) heaviest = v;
    }
    Value best{0, 0, 0};
    std::size_t b1 = 0;
    std::size_t b2 = 0;
    for (std::size_t v1 = 1; v1 < blocks.size(); ++v1) {
      for (std::size_t v2 = v1 + 1; v2 < blocks.size(); ++v2) {
        if (large < 3 && (v1 == heaviest || v2 == heaviest)) continue;
        Table tried = blocks;
        join(tried, v1, v2);
        const Value value = value_of(tried, base, gain_only);
        if ((value.gain >= least_gain && best.gain < least_gain) || value.worth >= best.worth ||
            (b1 == 0 && (gain_only || large < 2))) {
          best = value;
          b1 = v1;
          b2 = v2;
        }
      }
    }
    if (b1 == 0) break;
    if (!gain_only && large >= 2 && best.worth < now.worth + 1e-5) break;
    join(blocks, b1, b2);
    join(members, b1, b2);
    now = best;
  }
  if (now.worth <= 0) return candidate;
  candidate.gain = gain_of(blocks, base, weight);
  candidate.info = now.info;
  for (std::size_t b = 1; b < members.size(); ++b) {
    std::ranges::sort(members[b]);
    candidate.subsets.push_back(members[b]);
  }
  if (!missing.empty()) candidate.subsets.push_back(missing);
  return candidate;
}

Candidate two_way(const std::vector<Point>& points, float known, float unknown, float items,
                  std::size_t classes, int weight) {
  Table side(2, std::vector<float>(classes, 0.0F));
  for (const Point& p : points) side[1][p.label] += p.weight;
  const float base = total_info(side[1]) / known;
  const float unknown_rate = 1 - known / items;
  const auto m = static_cast<float>(weight);
  auto least = static_cast<float>(0.10 * known / static_cast<double>(classes));
  if (least <= m) {
    least = m;
  } else if (least > 25) {
    least = 25;
  }
  std::vector<float> gain(points.size(), -1e-3F);
  std::vector<float> info(points.size(), 0);
  std::vector<bool> tried(points.size(), false);
  int tries = 0;
  float low = 0;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    side[0][points[i].label] += points[i].weight;
    side[1][points[i].label] -= points[i].weight;
    low += points[i].weight;
    if (low > known - least && low >= least) break;
    if (low < least || !(points[i].value < points[i + 1].value - 1e-5)) continue;
    ++tries;
    tried[i] = true;
    const float high = known - low;
    info[i] = total_info({unknown, low, high}) / items;
    if (low < m || high < m) continue;
    const float left = total_info(side[0]) + total_info(side[1]);
    gain[i] = (1 - unknown_rate) * (base - left / known);
  }
  const auto cost = static_cast<float>(lg(static_cast<float>(tries)) / items);
  Candidate candidate;
  float best = 0;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const float penalised = gain[i] - cost;
    if (!tried[i] || !(penalised > best)) continue;
    best = penalised;
    candidate.gain = penalised;
    candidate.info = info[i];
    candidate.low = points[i].value;
    candidate.high = points[i + 1].value;
  }
  return candidate;
}

std::size_t select(const std::vector<Candidate>& candidates, const Schema& schema,
                   std::size_t cases, bool group, bool gain_only) {
  const auto few = [&](const Attribute& a) {
    return static_cast<double>(a.values.size()) < 0.3 * static_cast<double>(cases);
  };
  bool all_many = true;
  for (const Attribute& a : schema.attributes) {
    if (a.kind == AttributeKind::kIgnored) continue;
    if (a.kind == AttributeKind::kContinuous || few(a)) all_many = false;
  }
  float sum = 0;
  float count = 0;
  for (std::size_t a = 0; a < candidates.size(); ++a) {
    const Attribute& attribute = schema.attributes[a];
    const bool counts =
        attribute.kind == AttributeKind::kContinuous || few(attribute) || all_many || group;
    if (candidates[a].gain > -1e-3 && counts) {
      sum += candidates[a].gain;
      ++count;
    }
  }
  const float average = count > 0 ? sum / count : 1e6F;
  std::size_t best = candidates.size();
  float best_worth = -1e-3F;
  for (std::size_t a = 0; a < candidates.size(); ++a) {
    if (!(candidates[a].gain > -1e-3)) continue;
    const float worth = worth_of(candidates[a].gain, candidates[a].info, average, gain_only);
    if (worth > best_worth) {
      best_worth = worth;
      best = a;
    }
  }
  return best;
}

float extra_errors(float n, float e, float cf) {
  static const float val[] = {0, 0.001F, 0.005F, 0.01F, 0.05F, 0.10F, 0.20F, 0.40F, 1.0F};
  static const float dev[] = {4.0F, 3.09F, 2.58F, 2.33F, 1.65F, 1.28F, 0.84F, 0.25F, 0.0F};
  int i = 1;
  while (cf > val[i]) ++i;
  const float z = dev[i - 1] + (dev[i] - dev[i - 1]) * (cf - val[i - 1]) / (val[i] - val[i - 1]);
  const float q = z * z;
  const auto none = static_cast<float>(n * (1 - std::exp(std::log(double{cf}) / n)));
  if (e < 1e-6) return none;
  if (e < 0.9999) return none + e * (extra_errors(n, 1.0F, cf) - none);
  if (e + 0.5 >= n) return static_cast<float>(0.67 * (n - e));
  const auto p = static_cast<float>(
      (e + 0.5 + q / 2 + std::sqrt(q * ((e + 0.5) * (1 - (e + 0.5) / n) + q / 4))) / (n + q));
  return n * p - e;
}

}  // namespace colltree::c45::reference
