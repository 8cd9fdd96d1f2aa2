// SPDX-License-Identifier: BSD-3-Clause
// Bine (binomial negabinary) trees and butterflies over a power of two of ranks: in each step every
// rank has a partner at a distance of about a third, not half, of what is left, even ranks above
// them and odd ones below (De Sensi, Pasqualoni, Piarulli, Bonato, Ba, Turisini, Domke, Hoefler,
// Bine Trees: Enhancing Collective Operations by Optimizing Communication Locality, 2025, on
// distance-halving trees and butterflies). Of other numbers of ranks a power of two are members,
// which stand for themselves and, some, for the next rank (power_group.h).
#pragma once

#include "algorithms/trees.h"

namespace colltree {

class Bine {
 public:
  explicit Bine(int size);  // a power of two

  int steps() const { return steps_; }
  int partner(int position, int step) const;
  // Those that the rank reaches by the steps from this one on: one arc, half of the one before.
  Arc reached(int position, int step) const;
  // The step in which a tree that stands on position 0 comes to this one; -1: position 0.
  int joins(int position) const;

 private:
  int wrap(int position) const { return position & (size_ - 1); }

  static constexpr int kMost = 31;
  int size_;
  int steps_ = 0;
  int distance_[kMost];    // of each step, from an even rank
  int lowest_[kMost + 1];  // of the ranks that an even rank 0 reaches by the steps from this one on
};

// Any number of positions. A member joins in the first step in which its partner is there, the
// other rank of its pair last.
TreeShape bine_tree;
SubtreeShape bine_subtree;

}  // namespace colltree
