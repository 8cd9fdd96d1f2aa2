// SPDX-License-Identifier: BSD-3-Clause
// allgather and allgatherv: each algorithm serves both, whose blocks differ only in where they
// begin. Ring, recursive doubling: Thakur, Rabenseifner, Gropp, Optimization of collective
// communication operations in MPICH (2005), on allgather. Bruck: Bruck, Ho, Kipnis, Upfal,
// Weathersby, Efficient algorithms for all-to-all communications in multiport message-passing
// systems (1997), on concatenation. Neighbor exchange: Chen, Zhang, Zhang, Yuan, Performance
// evaluation of allgather algorithms on terascale Linux cluster with Fast Ethernet (2005). Sparbit:
// Loch, Koslovski, Sparbit: a new logarithmic-cost and data locality-aware MPI allgather algorithm
// (2021), section III. As Bruck's, with the long distances first: what travels far are few blocks,
// and the last and longest messages are for neighbours.
#include "algorithms/bcast_tree.h"
#include "algorithms/gathering.h"

namespace colltree::algorithms {

namespace {

// Messages of up to this many bytes in all are collected in a separate buffer.
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
  const Tree tree = knomial_tree(g.size, g.rank, 2);
  COLLTREE_TRY(gather_up(tree, g.rank, g.size, g.space, 0, context));
  Context whole = context;
  whole.segment_size = 0;
  COLLTREE_TRY(relay(tree, g.space.at(0), g.space.offsets().total(), whole));
  return g.close(context);
}

namespace {

// Before the step of distance d a rank has the blocks of all ranks below it by multiples of 2 d, in
// it those between them come.
class Sparbit {
 public:
  Sparbit(const Gathering& gathering, const Context& context) : g_(gathering), context_(context) {}

  int run() {
    std::int64_t distance = 1;
    while (2 * distance < g_.size) distance *= 2;
    for (; distance > 0; distance /= 2) COLLTREE_TRY(step(distance));
    return g_.close(context_);
  }

 private:
  // Blocks of a message are packed up to this many bytes, else sent from and to their own places.
  static constexpr std::size_t kMostPacked = 16384;

  int below(std::int64_t distance) const {
    return static_cast<int>((g_.rank + g_.size - distance) % g_.size);
  }
  // Calls visit(block) for those of a message whose first is the one `distance` below this rank's.
  template <typename Visit>
  int for_each_block(std::int64_t first, std::int64_t distance, Visit visit) const {
    for (std::int64_t i = 0; (2 * i + 1) * distance < g_.size; ++i)
      COLLTREE_TRY(visit(below(first + 2 * i * distance)));
    return MPI_SUCCESS;
  }
  std::size_t bytes(std::int64_t first, std::int64_t distance) const {
    std::size_t sum = 0;
    for_each_block(first, distance, [&](int block) {
      sum += g_.space.bytes(block);
      return int{MPI_SUCCESS};
    });
    return sum;
  }

  int step(std::int64_t distance) const {
    const int to = static_cast<int>((g_.rank + distance) % g_.size);
    const int from = below(distance);
    // Either side of a message knows all lengths, so both see alike how it travels.
    const std::size_t out = bytes(0, distance);
    const std::size_t in = bytes(distance, distance);
    Scratch packed;
    COLLTREE_TRY(packed.allocate((is_packed(out) ? out : 0) + (is_packed(in) ? in : 0)));
    Requests requests;
    COLLTREE_TRY(receive(distance, in, packed.data(), from, requests));
    COLLTREE_TRY(send(distance, out, packed.data() + (is_packed(in) ? in : 0), to, requests));
    COLLTREE_TRY(requests.wait_all());
    return is_packed(in) ? unpack_blocks(distance, packed.data()) : MPI_SUCCESS;
  }

  static bool is_packed(std::size_t bytes) { return bytes <= kMostPacked; }

  int receive(std::int64_t distance, std::size_t length, std::byte* packed, int from,
              Requests& requests) const {
    if (is_packed(length)) return requests.post_receive_bytes(packed, length, from, context_);
    return for_each_block(distance, distance, [&](int block) {
      return requests.post_receive_bytes(g_.space.at(block), g_.space.bytes(block), from, context_);
    });
  }

  int send(std::int64_t distance, std::size_t length, std::byte* packed, int to,
           Requests& requests) const {
    if (!is_packed(length)) {
      return for_each_block(0, distance, [&](int block) {
        return requests.post_send_bytes(g_.space.at(block), g_.space.bytes(block), to, context_);
      });
    }
    std::byte* next = packed;
    for_each_block(0, distance, [&](int block) {
      copy_bytes(g_.space.at(block), next, g_.space.bytes(block), context_);
      next += g_.space.bytes(block);
      return int{MPI_SUCCESS};
    });
    return requests.post_send_bytes(packed, length, to, context_);
  }

  int unpack_blocks(std::int64_t distance, const std::byte* packed) const {
    return for_each_block(distance, distance, [&](int block) {
      copy_bytes(packed, g_.space.at(block), g_.space.bytes(block), context_);
      packed += g_.space.bytes(block);
      return int{MPI_SUCCESS};
    });
  }

  const Gathering& g_;
  const Context& context_;
};

}  // namespace

int allgather_sparbit(const CollectiveCall& call, const Context& context) {
  Gathering g;
  COLLTREE_TRY(g.open(call, context));
  return Sparbit(g, context).run();
}

}  // namespace colltree::algorithms
