// SPDX-License-Identifier: BSD-3-Clause
// allgather and allgatherv: each algorithm serves both, whose blocks differ only in where they
// begin. Ring, recursive doubling: Thakur, Rabenseifner, Gropp, Optimization of collective
// communication operations in MPICH (2005), on allgather. AllgatherBruck: AllgatherBruck, Ho,
// Kipnis, Upfal, Weathersby, Efficient algorithms for all-to-all communications in multiport
// message-passing systems (1997), on concatenation. Neighbor exchange: Chen, Zhang, Zhang, Yuan,
// Performance evaluation of allgather algorithms on terascale Linux cluster with Fast Ethernet
// (2005).
#include "algorithms/bcast_tree.h"
#include "algorithms/gathering.h"
#include "algorithms/rows.h"

namespace colltree {

namespace {

// Up to so many bytes in all are collected in memory of their own.
constexpr std::size_t kMostCollected = 16384;

// With radix k, rounds in which each rank has the blocks of k times as many ranks behind it. A
// message is a range of blocks that may pass the last rank. Short ones are collected from the own
// block on, so that each message is one piece, and put in place at the end. Long ones go straight
// to their places, in two pieces where they pass the last rank.
class AllgatherBruck {
 public:
  AllgatherBruck(const Gathering& gathering, const Context& context)
      : g_(gathering),
        offsets_(gathering.space.offsets()),
        context_(context),
        collects_(offsets_.total() <= kMostCollected) {}

  int run() {
    if (collects_) {
      COLLTREE_TRY(collected_.allocate(offsets_.total()));
      copy_bytes(g_.space.at(g_.rank), collected_.data(), offsets_.count(g_.rank), context_);
    }
    for (std::int64_t have = 1; have < g_.size; have *= context_.radix)
      COLLTREE_TRY(round(static_cast<int>(have)));
    return collects_ ? put_in_place() : g_.close(context_);
  }

 private:
  // Bytes of the first n blocks from rank `first` on, around the end.
  std::size_t bytes(int first, int n) const {
    const int before_end = std::min(n, g_.size - first);
    return offsets_.range(first, first + before_end).count +
           offsets_.range(0, n - before_end).count;
  }
  std::byte* collected(int n) const { return collected_.data() + bytes(g_.rank, n); }

  // Calls visit(bytes, how many) for each piece of the n blocks from the one of rank+distance on.
  template <typename Visit>
  int for_each_piece(int distance, int n, Visit visit) const {
    const int first = (g_.rank + distance) % g_.size;
    if (collects_) return visit(collected(distance), bytes(first, n));
    const int before_end = std::min(n, g_.size - first);
    COLLTREE_TRY(visit(g_.space.at(first), g_.space.bytes(first, first + before_end)));
    return visit(g_.space.at(0), g_.space.bytes(0, n - before_end));
  }

  // Calls visit(distance, blocks) for each message of a round.
  template <typename Visit>
  int for_each_message(int have, Visit visit) const {
    for (int j = 1; j < context_.radix && static_cast<std::int64_t>(j) * have < g_.size; ++j)
      COLLTREE_TRY(visit(j * have, std::min(have, g_.size - j * have)));
    return MPI_SUCCESS;
  }

  int round(int have) {
    Requests requests;
    COLLTREE_TRY(for_each_message(have, [&](int distance, int n) {
      const int from = (g_.rank + distance) % g_.size;
      return for_each_piece(distance, n, [&](std::byte* data, std::size_t length) {
        return requests.post_receive_bytes(data, length, from, context_);
      });
    }));
    COLLTREE_TRY(for_each_message(have, [&](int distance, int n) {
      const int to = (g_.rank + g_.size - distance) % g_.size;
      return for_each_piece(0, n, [&](const std::byte* data, std::size_t length) {
        return requests.post_send_bytes(data, length, to, context_);
      });
    }));
    return requests.wait_all();
  }

  int put_in_place() const {
    for (int i = 1; i < g_.size; ++i) {
      const int block = (g_.rank + i) % g_.size;
      COLLTREE_TRY(g_.space.store_from(collected(i), block, context_));
    }
    return g_.space.store(g_.rank, g_.rank + 1, context_);
  }

  const Gathering& g_;
  const Offsets& offsets_;
  const Context& context_;
  bool collects_;
  Scratch collected_;
};

}  // namespace

int gather_by_bruck(const Gathering& g, const Context& context) {
  return AllgatherBruck(g, context).run();
}

// Each block goes around.
int allgather_ring(const CollectiveCall& call, const Context& context) {
  Gathering g;
  COLLTREE_TRY(g.open(call, context));
  const int right = (g.rank + 1) % g.size;
  const int left = (g.rank + g.size - 1) % g.size;
  for (int step = 0; step < g.size - 1; ++step) {
    COLLTREE_TRY(g.exchange((g.rank + g.size - step) % g.size, right,
                            (left + g.size - step) % g.size, left, 1, context));
  }
  return g.close(context);
}

// A power of two of ranks: in step i groups of 2^i ranks exchange all they have.
int allgather_recursive_doubling(const CollectiveCall& call, const Context& context) {
  Gathering g;
  COLLTREE_TRY(g.open(call, context));
  for (int distance = 1; distance < g.size; distance *= 2) {
    const int peer = g.rank ^ distance;
    COLLTREE_TRY(g.exchange(g.rank & ~(distance - 1), peer, peer & ~(distance - 1), peer, distance,
                            context));
  }
  return g.close(context);
}

// Even number of ranks, in pairs (0 1) (2 3) ...: after the exchange within the pair each rank
// talks in turn with its neighbour outside and inside, and hands on the two blocks that came last.
int allgather_neighbor_exchange(const CollectiveCall& call, const Context& context) {
  Gathering g;
  COLLTREE_TRY(g.open(call, context));
  const int pairs = g.size / 2;
  const int pair = g.rank / 2;
  const bool even = g.rank % 2 == 0;
  const int inside = even ? g.rank + 1 : g.rank - 1;
  const int outside = (g.rank + (even ? g.size - 1 : 1)) % g.size;
  COLLTREE_TRY(g.exchange(g.rank, inside, inside, inside, 1, context));
  int last = pair;
  for (int step = 1; step < pairs; ++step) {
    // Outside are the pairs on this rank's own side, inside those on its mate's.
    const bool own_side = step % 2 == 1;
    const int away = (step + 1) / 2;
    const bool below = even == own_side;
    const int next = (pair + (below ? pairs - away : away)) % pairs;
    const int peer = own_side ? outside : inside;
    COLLTREE_TRY(g.exchange(2 * last, peer, 2 * next, peer, 2, context));
    last = next;
  }
  return g.close(context);
}

int allgather_bruck(const CollectiveCall& call, const Context& context) {
  Gathering g;
  COLLTREE_TRY(g.open(call, context));
  return gather_by_bruck(g, context);
}

// Up a binomial tree to rank 0, and down again as one message.
int allgather_gather_bcast(const CollectiveCall& call, const Context& context) {
  Gathering g;
  COLLTREE_TRY(g.open(call, context));
  const Tree tree = binomial_tree(g.size, g.rank, 2);
  COLLTREE_TRY(gather_up(tree, g.rank, g.size, g.space, 0, context));
  Context whole = context;
  whole.segment_size = 0;
  COLLTREE_TRY(relay(tree, g.space.at(0), g.space.offsets().total(), whole));
  return g.close(context);
}

}  // namespace colltree
