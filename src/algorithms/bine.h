// SPDX-License-Identifier: BSD-3-Clause
// Who speaks with whom in Bine (binomial negabinary) trees and butterflies over a power of two of
// ranks: partners are about a third, not half, of what is left to cover away, even ranks have
// theirs above them and odd ones below (De Sensi, Pasqualoni, Piarulli, Bonato, Ba, Turisini,
// Domke, Hoefler, Bine Trees: Enhancing Collective Operations by Optimizing Communication Locality,
// 2025, on distance-halving trees and butterflies).
#pragma once

#include <algorithm>
#include <bit>

namespace colltree {

class Bine {
 public:
  // The distances from the last step backwards: 1, -1, 3, -5, 11, ... each 1 less twice the one
  // after it. What is reached through the partner is the mirror image, as its parity is another.
  explicit Bine(int size) : size_(size) {
    while ((1 << steps_) < size) ++steps_;
    lowest_[steps_] = 0;
    int distance = 1;
    for (int step = steps_ - 1; step >= 0; --step, distance = 1 - 2 * distance) {
      const int highest = lowest_[step + 1] + (size >> (step + 1)) - 1;
      distance_[step] = distance;
      lowest_[step] = std::min(lowest_[step + 1], distance - highest);
    }
  }

  int steps() const { return steps_; }
  int partner(int rank, int step) const {
    return wrap(rank % 2 == 0 ? rank + distance_[step] : rank - distance_[step]);
  }
  // Of the size >> step ranks that this one reaches by the steps from this one on, which are a
  // range around the end, the first.
  int first_reached(int rank, int step) const {
    return wrap(rank % 2 == 0 ? rank + lowest_[step] : rank - lowest_[step] - (size_ >> step) + 1);
  }

  // The step in which a tree that stands on position 0 comes to this one; -1: position 0. With
  // distances d = (1 - (-2)^(steps - step)) / 3 and signs that alternate, 3 position minus its
  // parity is a sum of powers of two that shows the steps on the way to it; the lowest
  // one is the last step's.
  int joins(int position) const {
    if (position == 0) return -1;
    const unsigned bits = (static_cast<unsigned>(position) * 3U - (position % 2)) &
                          (static_cast<unsigned>(size_) - 1);
    return bits == 0 ? 0 : steps_ - std::countr_zero(bits);
  }

 private:
  int wrap(int rank) const { return rank & (size_ - 1); }

  static constexpr int kMost = 31;
  int size_;
  int steps_ = 0;
  int distance_[kMost];    // of each step, from an even rank
  int lowest_[kMost + 1];  // of the ranks that an even rank 0 reaches by the steps from this one on
};

}  // namespace colltree
