// SPDX-License-Identifier: BSD-3-Clause
// From the midpoint of a cut to the threshold of the test: the greatest value not above the
// midpoint among all cases of the .data file, not only those at the node.
#pragma once

#include <vector>

#include "model/c45/dataset.h"

namespace colltree::c45 {

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
