// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/arithmetic.h"
#include "engine/tree.h"

namespace colltree::c45 {

// The confidence level as release 8 keeps it: percent as read in float32, divided in float32.
inline float confidence_fraction(float percent) { return percent / 100.0F; }

// What a test on one attribute would gain at a node, and which attribute is chosen
// (reference/c45-release8.md, section 3).
struct Split {
  float gain = kNotAvailable;
  float info = 0;
  float low = 0, high = 0;              // continuous: the values beside the best cut
  std::vector<std::uint32_t> group_of;  // grouped: branch of value v at [v - 1]
  std::uint32_t groups = 0;             // grouped: number of branches; 0 = not grouped
};

// Class weights of a discrete attribute at one node: row 0 the unknown value, row v value v.
struct ValueTable {
  std::size_t classes = 0;
  std::size_t values = 0;
  std::vector<float> weight;      // (values + 1) x classes
  std::vector<float> row_weight;  // values + 1

  void reset(std::size_t value_count, std::size_t class_count);
  std::span<const float> row(std::size_t v) const { return {&weight[v * classes], classes}; }
  float& at(std::size_t v, std::size_t c) { return weight[v * classes + c]; }
  void sum_rows();
};

// The known part of a table: what gains refer to.
struct KnownPart {
  float items = 0;  // weight of all cases, N
  float known = 0;  // K
  float unknown_rate = 0;
  float base = 0;  // information of the classes, per case
};
KnownPart known_part(const ValueTable& table, float items);

// Gain of the split into rows 1..values; kNotAvailable unless two rows hold `min_weight`.
float discrete_gain(const ValueTable& table, const KnownPart& part, float min_weight);
// Split information; the unknown values are one more outcome.
float discrete_info(const ValueTable& table, float items);

Split evaluate_values(const ValueTable& table, float items, float min_weight);

// Gain ratio, or gain with -g; kNotAvailable when it does not reach `min_gain`.
float worth(float gain, float info, float min_gain, bool gain_only);

// Which attributes count for the average gain: continuous ones and those with few values.
std::vector<bool> averaged_attributes(const Schema& schema, std::size_t cases, bool group);

// The attribute to test, or nothing. Ties go to the first declared.
std::optional<std::size_t> choose(std::span<const Split> splits, const std::vector<bool>& averaged,
                                  bool gain_only);

// Smallest weight that a continuous cut must leave on each side.
float min_split(float known, std::size_t classes, float min_weight);

// Attribute value grouping (-s): merges the values of a discrete attribute into blocks while the
// gain ratio rises (reference/c45-release8.md, section 4). O(k^3 x classes) for k values.

// The split into groups at a node whose cases weigh `items`; min_weight is -m.
Split evaluate_groups(const ValueTable& table, float items, float min_weight, bool gain_only);

}  // namespace colltree::c45
