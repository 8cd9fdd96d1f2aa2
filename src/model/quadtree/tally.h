// SPDX-License-Identifier: BSD-3-Clause
// Which methods a block of the grid holds, and whether one of them may stand for all.
#pragma once

#include <span>
#include <vector>

#include "model/quadtree/grid_tree.h"

namespace colltree {

class Tally {
 public:
  explicit Tally(std::size_t methods) : weight_(methods), points_(methods) {}

  // `copies` points of the grid that are the same measured point, each of weight `weight`.
  void add(std::uint16_t method, double copies, double weight) {
    weight_[method] += copies * weight;
    points_[method] += copies;
  }

  // The heaviest method; among equals the most frequent, then the lowest index (catalogue order).
  std::uint16_t majority() const;
  // Whether the majority holds at least this share of the weight. A block that no weight falls on
  // is never worth a test, so it always does.
  bool agrees(double accuracy_threshold) const;
  // Entropy of the methods times the weight, natural logarithm: 0 when there is only one.
  double disorder() const;

 private:
  std::vector<double> weight_;
  std::vector<double> points_;
};

}  // namespace colltree
