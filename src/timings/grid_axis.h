// SPDX-License-Identifier: BSD-3-Clause
// One axis of a measured grid and the rule that extends it to all integers: an instance takes the
// decision of the nearest grid value in log space, and beyond the ends that of the end (2007, 3.2).
#pragma once

#include <cstdint>
#include <vector>

#include "coll/attribute.h"

namespace colltree {

// The largest integer that still belongs to the lower of two neighbours a < b: floor(sqrt(a * b)),
// exactly. The middle itself belongs to the lower one, as every tie goes to the lower index; 0 has
// no logarithm and keeps only itself.
std::uint64_t last_of_lower(std::uint64_t a, std::uint64_t b);

// log2: where a size lies on a logarithmic axis. An empty message lies one octave below one byte.
double octaves(std::uint64_t size);

struct GridAxis {
  // The collective is no attribute of a rule tree: a model over several has one root for each.
  bool is_collective = false;
  Attribute attribute = Attribute::kCommunicatorSize;
  std::vector<std::uint64_t> values;      // strictly ascending; collectives: their enumerators
  std::vector<std::uint64_t> thresholds;  // between neighbours; empty for collectives

  std::size_t size() const { return values.size(); }
  // Index of the grid value that decides for this instance. Throws Error for an unknown collective.
  std::size_t index(const Instance& instance) const;

  bool operator==(const GridAxis&) const = default;
};

// The point of a grid of these axes, the last one varying fastest, that decides for the instance.
std::size_t point_of(const std::vector<GridAxis>& axes, const Instance& instance);

GridAxis make_axis(Attribute attribute, std::vector<std::uint64_t> values);
GridAxis make_collective_axis(const std::vector<Collective>& collectives);
// Throws Error: an axis needs a value, and values strictly ascending.
void validate(const GridAxis& axis);

}  // namespace colltree
