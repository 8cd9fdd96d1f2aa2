// SPDX-License-Identifier: BSD-3-Clause
// bcast bine: down a Bine tree, as binomial but for the partners. allgather and allgatherv bine:
// recursive doubling along a Bine butterfly.
//
// Who speaks with whom in Bine (binomial negabinary) trees and butterflies over a power of two of
// ranks: partners are about a third, not half, of what is left to cover away, even ranks have
// theirs above them and odd ones below (De Sensi, Pasqualoni, Piarulli, Bonato, Ba, Turisini,
// Domke, Hoefler, Bine Trees: Enhancing Collective Operations by Optimizing Communication Locality,
// 2025, on distance-halving trees and butterflies).
#include <algorithm>
#include <bit>

#include "algorithms/bcast_tree.h"
#include "algorithms/gathering.h"

namespace colltree::algorithms {

namespace {

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
  // The first of the size >> step ranks that this rank reaches from this step on; they are a range
  // around the end.
  int first_reached(int rank, int step) const {
    return wrap(rank % 2 == 0 ? rank + lowest_[step] : rank - lowest_[step] - (size_ >> step) + 1);
  }

  // The step in which a tree that stands on position 0 comes to this position; -1: position 0. With
  // distances d = (1 - (-2)^(steps - step)) / 3 and signs that alternate, 3 position minus its
  // parity is a sum of powers of two that shows the steps on the way to it; the lowest one is the
  // last step's.
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

// A position receives in the first step in which its partner has the message, and sends in all
// later ones.
Tree bine_tree(int size, int position, int) {
  const Bine bine(size);
  const int joined = bine.joins(position);
  Tree tree;
  if (joined >= 0) tree.parent = bine.partner(position, joined);
  for (int step = bine.steps() - 1; step > joined; --step)
    tree.add_child(bine.partner(position, step));
  return tree;
}

}  // namespace

int bcast_bine(const CollectiveCall& call, const Context& context) {
  return bcast_along(Placement::from_root(context.size, call.root).tree(bine_tree, context.rank),
                     call, context);
}

int allgather_bine(const CollectiveCall& call, const Context& context) {
  Gathering g;
  COLLTREE_TRY(g.open(call, context));
  const Bine butterfly(g.size);
  // Calls visit(bytes, how many) for the one or two pieces that the blocks of a range are.
  const auto for_each_piece = [&](int first, int blocks, auto visit) -> int {
    const int end = std::min(first + blocks, g.size);
    COLLTREE_TRY(visit(g.space.at(first), g.space.bytes(first, end)));
    return visit(g.space.at(0), g.space.bytes(0, first + blocks - end));
  };
  for (int step = butterfly.steps() - 1; step >= 0; --step) {
    const int partner = butterfly.partner(g.rank, step);
    const int blocks = g.size >> (step + 1);
    Requests requests;
    COLLTREE_TRY(for_each_piece(butterfly.first_reached(partner, step + 1), blocks,
                                [&](std::byte* data, std::size_t length) {
                                  return requests.post_receive_bytes(data, length, partner,
                                                                     context);
                                }));
    COLLTREE_TRY(for_each_piece(butterfly.first_reached(g.rank, step + 1), blocks,
                                [&](const std::byte* data, std::size_t length) {
                                  return requests.post_send_bytes(data, length, partner, context);
                                }));
    COLLTREE_TRY(requests.wait_all());
  }
  return g.close(context);
}

}  // namespace colltree::algorithms
