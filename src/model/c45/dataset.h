// SPDX-License-Identifier: BSD-3-Clause
// What C4.5 learns from: a schema (.names) and cases (.data, .test), column by column.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace colltree::c45 {

enum class AttributeKind : std::uint8_t { kContinuous, kDiscrete, kIgnored };

struct Attribute {
  std::string name;
  AttributeKind kind = AttributeKind::kContinuous;
  std::vector<std::string> values;  // discrete: value v is values[v - 1]
  // "discrete n": up to n values are taken from the data in order of appearance; 0 = declared.
  std::size_t open_values = 0;
};

struct Schema {
  std::vector<std::string> classes;  // in order of declaration, used or not: their number counts
  std::vector<Attribute> attributes;
};

inline constexpr float kUnknownNumber = -999.0F;  // release 8's marker: a genuine -999 is unknown
inline constexpr std::uint32_t kUnknownValue = 0;

struct Cases {
  std::vector<std::vector<float>> numbers;         // by attribute; filled for continuous ones
  std::vector<std::vector<std::uint32_t>> values;  // by attribute; filled for discrete ones, from 1
  std::vector<std::uint32_t> label;                // class index

  std::size_t size() const { return label.size(); }
};

// Room for the columns that `schema` asks for.
Cases empty_cases(const Schema& schema);

// From the midpoint of a cut to the threshold of the test: the greatest value not above the
// midpoint among all cases of the .data file, not only those at the node.
class Thresholds {
 public:
  // Sorts the distinct values of every continuous attribute: O(n log n), 4 bytes per value.
  Thresholds(const Schema& schema, const Cases& cases);

  // Between two neighbouring values at a node, not counting `high`. Above 2^24 the midpoint of
  // adjacent float32 numbers can round up to the greater one: release 8 then sends every case to
  // one side and recurses for ever. Here the cut falls back to the smaller value; `strict_r8`
  // throws Error instead, naming the attribute and the values.
  float between(std::size_t attribute, float low, float high, bool strict_r8) const;
  const std::vector<float>& values(std::size_t attribute) const { return values_[attribute]; }

 private:
  std::vector<std::string> names_;  // of the attributes, for messages
  std::vector<std::vector<float>> values_;
};

}  // namespace colltree::c45
