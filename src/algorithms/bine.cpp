// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/bine.h"

#include <algorithm>
#include <bit>

namespace colltree {

Bine::Bine(int size) : size_(size) {
  while ((1U << steps_) < static_cast<unsigned>(size)) ++steps_;
  // From the last step backwards: 1, -1, 3, -5, 11, ... each 1 less twice the one after it. What is
  // reached through the partner is the mirror image, as its parity is another.
  lowest_[steps_] = 0;
  int distance = 1;
  for (int step = steps_ - 1; step >= 0; --step, distance = 1 - 2 * distance) {
    const int count = 1 << (steps_ - 1 - step);
    const int highest = lowest_[step + 1] + count - 1;
    distance_[step] = distance;
    lowest_[step] = std::min(lowest_[step + 1], distance - highest);
  }
}

int Bine::partner(int position, int step) const {
  return wrap(position % 2 == 0 ? position + distance_[step] : position - distance_[step]);
}

Arc Bine::reached(int position, int step) const {
  const int count = size_ >> step;
  const int low = lowest_[step];
  return {wrap(position % 2 == 0 ? position + low : position - (low + count - 1)), count};
}

// With distances d = (1 - (-2)^(steps - step)) / 3 and signs that alternate, 3 position minus its
// parity is a sum of powers of two by which the steps on the way to it can be told; the lowest one
// is the last step's.
int Bine::joins(int position) const {
  if (position == 0) return -1;
  const unsigned told =
      (static_cast<unsigned>(position) * 3U - (position % 2)) & (static_cast<unsigned>(size_) - 1);
  return told == 0 ? 0 : steps_ - std::countr_zero(told);
}

Tree bine_tree(int size, int position, int) {
  const Bine bine(size);
  const int joined = bine.joins(position);
  Tree tree;
  if (joined >= 0) tree.parent = bine.partner(position, joined);
  for (int step = bine.steps() - 1; step > joined; --step)
    tree.add_child(bine.partner(position, step));
  return tree;
}

Arc bine_subtree(int size, int position, int) {
  const Bine bine(size);
  return bine.reached(position, bine.joins(position) + 1);
}

}  // namespace colltree
