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

// The split at a node whose cases weigh `items`, on a discrete attribute with these values: one
// branch for each, or groups of them (-s). min_weight is -m.
Split evaluate_discrete(const ValueTable& table, float items, float min_weight,
                        const TreeOptions& options);

// Which attributes count for the average gain: continuous ones and those with few values.
std::vector<bool> averaged_attributes(const Schema& schema, std::size_t cases, bool group);

// The attribute to test, or nothing. Ties go to the first declared.
std::optional<std::size_t> choose(std::span<const Split> splits, const std::vector<bool>& averaged,
                                  bool gain_only);

// Smallest weight that a continuous cut must leave on each side.
float min_split(float known, std::size_t classes, float min_weight);

}  // namespace colltree::c45
