// SPDX-License-Identifier: BSD-3-Clause
// Gains and choices of the reference, straight from sections 1, 3, 4 and 5 of the specification.
#pragma once

#include <vector>

#include "engine/tree.h"

namespace colltree::c45::reference {

using Table = std::vector<std::vector<float>>;  // [value][class]; value 0 is the unknown

struct Point {
  float value;
  std::size_t label;
  float weight;
};

struct Candidate {
  float gain = -1e-3F;
  float info = 0;
  float low = 0, high = 0;                        // continuous: values beside the cut
  std::vector<std::vector<std::size_t>> subsets;  // grouped
};

Candidate k_way(const Table& table, float items, int weight);
Candidate grouped(const Table& table, float items, int weight, bool gain_only);
Candidate two_way(const std::vector<Point>& points, float known, float unknown, float items,
                  std::size_t classes, int weight);
// Index of the attribute to test; candidates.size() for none.
std::size_t select(const std::vector<Candidate>& candidates, const Schema& schema,
                   std::size_t cases, bool group, bool gain_only);
float extra_errors(float items, float errors, float confidence);

}  // namespace colltree::c45::reference
