// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/bine.h"

#include <algorithm>
#include <bit>

#include "algorithms/power_group.h"

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

// Position 0 is a member's, so the root is one.
Tree bine_tree(int size, int position, int) {
  const PowerGroup group(size, position);
  Tree tree;
  if (group.member() == kNoMember) {
    tree.parent = group.pair();
    return tree;
  }
  const Bine bine(group.members());
  const int joined = bine.joins(group.member());
  if (joined >= 0) tree.parent = group.rank_of(bine.partner(group.member(), joined));
  if (group.pair() >= 0) tree.add_child(group.pair());
  for (int step = bine.steps() - 1; step > joined; --step)
    tree.add_child(group.rank_of(bine.partner(group.member(), step)));
  return tree;
}

Arc bine_subtree(int size, int position, int) {
  const PowerGroup group(size, position);
  if (group.member() == kNoMember) return {position, 1};
  const Bine bine(group.members());
  const Arc members = bine.reached(group.member(), bine.joins(group.member()) + 1);
  const int end = members.first + members.count;
  const int first = group.first_rank(members.first);
  const int around = std::max(0, end - group.members());
  return {first, group.first_rank(end - around) - first + group.first_rank(around)};
}

}  // namespace colltree
