// SPDX-License-Identifier: BSD-3-Clause
// alltoall and alltoallv that know the nodes: what one node sends to another travels as few
// messages. Hierarchical (hierarchical.cpp): the leader of a node gathers all that its ranks send.
// Locality: each rank sends to the rank of its index on every node what is for that node, then the
// ranks of a node exchange what came for each other (Traff, Hunold, Decomposing collectives for
// exploiting multi-lane communication, 2020, on full-lane alltoall). In alltoallv ranks that pass
// on blocks of others are told first how long these are.
#include <cstdint>

#include "algorithms/blocks.h"
#include "algorithms/offsets.h"
#include "algorithms/rows.h"
#include "algorithms/subgroup.h"

namespace colltree {

namespace {

// As it travels.
using Length = std::uint64_t;

// Blocks lie one after the other as bytes, for or from the ranks by position.
class NodeExchange {
 public:
  NodeExchange(const Blocks& blocks, const NodePlace& place, const Context& context)
      : b_(blocks), place_(place), nodes_(place.nodes), context_(context) {}

 protected:
  int open() {
    const auto lengths = [this](const BlockList& list) {
      return [this, &list](int position) {
        return static_cast<std::size_t>(list.count_of(nodes_.rank_at(position))) * list.layout.size;
      };
    };
    COLLTREE_TRY(place_.open_node(node_, context_));
    COLLTREE_TRY(sent_.set_lengths(b_.size, lengths(b_.send)));
    return received_.set_lengths(b_.size, lengths(b_.receive));
  }

  bool all_alike() const { return b_.send.counts == nullptr; }
  Range to_node(const Offsets& blocks, int node) const {
    return blocks.range(nodes_.first(node), nodes_.first(node + 1));
  }

  // What this rank sends, in its own memory where it lies there so.
  int pack_all(const std::byte** packed) {
    if (nodes_.is_by_blocks() && b_.send.layout.plain && all_alike()) {
      *packed = static_cast<const std::byte*>(b_.outgoing(0));
      return MPI_SUCCESS;
    }
    COLLTREE_TRY(packed_.allocate(sent_.total()));
    for (int i = 0; i < b_.size; ++i) {
      const int rank = nodes_.rank_at(i);
      COLLTREE_TRY(pack(b_.outgoing(rank), static_cast<std::size_t>(b_.send.count_of(rank)),
                        b_.send.layout, packed_.data() + sent_.begin(i), context_));
    }
    *packed = packed_.data();
    return MPI_SUCCESS;
  }
  int unpack_from(const std::byte* block, int rank) const {
    return unpack(block, b_.incoming(rank), static_cast<std::size_t>(b_.receive.count_of(rank)),
                  b_.receive.layout, context_);
  }

  // With each rank of `among` a piece for a piece: Range out(i), in(i), of `from` and `to`.
  template <typename Out, typename In>
  int exchange_pieces(const Subgroup& among, const std::byte* from, Out out, std::byte* to,
                      In in) const {
    const int size = among.size();
    const int here = among.rank();
    Requests requests;
    for (int step = 1; step < size; ++step) {
      const int peer = (here + size - step) % size;
      const Range piece = in(peer);
      COLLTREE_TRY(
          requests.post_receive_bytes(to + piece.first, piece.count, peer, among.context()));
    }
    for (int step = 1; step < size; ++step) {
      const int peer = (here + step) % size;
      const Range piece = out(peer);
      COLLTREE_TRY(
          requests.post_send_bytes(from + piece.first, piece.count, peer, among.context()));
    }
    copy_bytes(from + out(here).first, to + in(here).first, out(here).count, context_);
    return requests.wait_all();
  }

  const Blocks& b_;
  const NodePlace& place_;
  const NodeLayout& nodes_;
  const Context& context_;
  Subgroup node_;
  Offsets sent_;      // by position
  Offsets received_;  // likewise

 private:
  Scratch packed_;
};

// Every node has equally many ranks.
class LaneExchange : public NodeExchange {
 public:
  using NodeExchange::NodeExchange;

  int run() {
    COLLTREE_TRY(open());
    COLLTREE_TRY(place_.open_lane(lane_, context_));
    COLLTREE_TRY(learn_lengths());
    COLLTREE_TRY(arrived_.allocate(passing_.total()));
    COLLTREE_TRY(exchange_nodes());
    COLLTREE_TRY(allocate_pieces());
    for (int step = 0; step < node_.size(); ++step) COLLTREE_TRY(exchange_inside(step));
    return MPI_SUCCESS;
  }

 private:
  // Blocks that come along the lane: from a node, for the rank of this index here.
  int passing(int node, int index) const { return nodes_.first(node) + index; }

  // Of what this rank passes on.
  int learn_lengths() {
    if (all_alike()) return passing_.set_equal(b_.size, sent_.count(0));
    const auto size = static_cast<std::size_t>(b_.size);
    const std::unique_ptr<Length[]> lengths(new (std::nothrow) Length[2 * size]);
    if (lengths == nullptr) return MPI_ERR_NO_MEM;
    Length* told = lengths.get() + size;
    for (int i = 0; i < b_.size; ++i) lengths[i] = sent_.count(i);
    const auto of_node = [this](int node) -> Range {
      const auto ranks = static_cast<std::size_t>(node_.size());
      return {static_cast<std::size_t>(node) * ranks * sizeof(Length), ranks * sizeof(Length)};
    };
    COLLTREE_TRY(exchange_pieces(lane_, reinterpret_cast<const std::byte*>(lengths.get()), of_node,
                                 reinterpret_cast<std::byte*>(told), of_node));
    return passing_.set_lengths(b_.size,
                                [told](int i) { return static_cast<std::size_t>(told[i]); });
  }

  int exchange_nodes() {
    const std::byte* all = nullptr;
    COLLTREE_TRY(pack_all(&all));
    return exchange_pieces(
        lane_, all, [this](int node) { return to_node(sent_, node); }, arrived_.data(),
        [this](int node) { return to_node(passing_, node); });
  }

  // Of all nodes' blocks for, or from, the rank of this index here.
  std::size_t bytes_of(const Offsets& blocks, int index) const {
    std::size_t sum = 0;
    for (int node = 0; node < lane_.size(); ++node) sum += blocks.count(passing(node, index));
    return sum;
  }
  int allocate_pieces() {
    std::size_t out = 0;
    std::size_t in = 0;
    for (int index = 0; index < node_.size(); ++index) {
      out = std::max(out, bytes_of(passing_, index));
      in = std::max(in, bytes_of(received_, index));
    }
    COLLTREE_TRY(sorted_.allocate(out));
    return taken_.allocate(in);
  }

  int exchange_inside(int step) const {
    const int ranks = node_.size();
    const int to = (node_.rank() + step) % ranks;
    const int from = (node_.rank() + ranks - step) % ranks;
    std::byte* next = sorted_.data();
    for (int node = 0; node < lane_.size(); ++node) {
      const Range block = passing_.range(passing(node, to));
      copy_bytes(arrived_.data() + block.first, next, block.count, context_);
      next += block.count;
    }
    const std::byte* taken = sorted_.data();
    if (step > 0) {
      COLLTREE_TRY(exchange_bytes(sorted_.data(), bytes_of(passing_, to), to, taken_.data(),
                                  bytes_of(received_, from), from, node_.context()));
      taken = taken_.data();
    }
    for (int node = 0; node < lane_.size(); ++node) {
      COLLTREE_TRY(unpack_from(taken, nodes_.rank(node, from)));
      taken += received_.count(passing(node, from));
    }
    return MPI_SUCCESS;
  }

  Subgroup lane_;
  Offsets passing_;  // of what comes along the lane
  Scratch arrived_;
  Scratch sorted_;
  Scratch taken_;
};

// Nodes may have any ranks.
class LeaderExchange : public NodeExchange {
 public:
  using NodeExchange::NodeExchange;

  int run() {
    COLLTREE_TRY(open());
    const std::byte* own = nullptr;
    COLLTREE_TRY(pack_all(&own));
    if (place_.leads()) return lead(own);
    Scratch result;
    if (!all_alike()) COLLTREE_TRY(tell_lengths());
    COLLTREE_TRY(send_bytes(own, sent_.total(), 0, node_.context()));
    COLLTREE_TRY(result.allocate(received_.total()));
    COLLTREE_TRY(receive_bytes(result.data(), received_.total(), 0, node_.context()));
    return unpack_all(result.data());
  }

 private:
  std::size_t length_bytes() const {
    return 2 * sizeof(Length) * static_cast<std::size_t>(b_.size);
  }

  // Of all that this rank sends and of all that it gets.
  int tell_lengths() const {
    const auto size = static_cast<std::size_t>(b_.size);
    const std::unique_ptr<Length[]> lengths(new (std::nothrow) Length[2 * size]);
    if (lengths == nullptr) return MPI_ERR_NO_MEM;
    for (int i = 0; i < b_.size; ++i) {
      lengths[i] = sent_.count(i);
      lengths[i + size] = received_.count(i);
    }
    return send_bytes(reinterpret_cast<const std::byte*>(lengths.get()), length_bytes(), 0,
                      node_.context());
  }

  int lead(const std::byte* own) {
    COLLTREE_TRY(learn_lengths());
    COLLTREE_TRY(all_.allocate(std::max(begin_of_.total(), begin_for_.total())));
    COLLTREE_TRY(out_.allocate(begin_of_.total()));
    COLLTREE_TRY(in_.allocate(begin_for_.total()));
    COLLTREE_TRY(gather(own));
    COLLTREE_TRY(sort_out());
    COLLTREE_TRY(exchange());
    sort_in();
    return scatter();
  }

  // What each rank here sends and gets.
  int learn_lengths() {
    const int ranks = node_.size();
    of_.reset(new (std::nothrow) Offsets[2 * static_cast<std::size_t>(ranks)]);
    if (of_ == nullptr) return MPI_ERR_NO_MEM;
    for_ = of_.get() + ranks;
    for (int i = 0; i < ranks; ++i) COLLTREE_TRY(learn_lengths_of(i));
    COLLTREE_TRY(begin_of_.set_lengths(ranks, [this](int i) { return of_[i].total(); }));
    return begin_for_.set_lengths(ranks, [this](int i) { return for_[i].total(); });
  }
  int learn_lengths_of(int index) {
    if (index == 0 || all_alike()) {
      COLLTREE_TRY(of_[index].set_lengths(b_.size, [this](int i) { return sent_.count(i); }));
      return for_[index].set_lengths(b_.size, [this](int i) { return received_.count(i); });
    }
    Scratch lengths;
    COLLTREE_TRY(lengths.allocate(length_bytes()));
    COLLTREE_TRY(receive_bytes(lengths.data(), length_bytes(), index, node_.context()));
    const auto* told = reinterpret_cast<const Length*>(lengths.data());
    const auto from = [told](int begin) {
      return [told, begin](int i) { return static_cast<std::size_t>(told[begin + i]); };
    };
    COLLTREE_TRY(of_[index].set_lengths(b_.size, from(0)));
    return for_[index].set_lengths(b_.size, from(b_.size));
  }

  int gather(const std::byte* own) const {
    Requests requests;
    for (int i = 1; i < node_.size(); ++i)
      COLLTREE_TRY(requests.post_receive_bytes(all_.data() + begin_of_.begin(i), of_[i].total(), i,
                                               node_.context()));
    copy_bytes(own, all_.data(), of_[0].total(), context_);
    return requests.wait_all();
  }

  // For a node after the other, of each rank here its blocks for the ranks there.
  int sort_out() {
    std::byte* next = out_.data();
    for (int node = 0; node < nodes_.nodes(); ++node) {
      for (int i = 0; i < node_.size(); ++i) {
        const Range blocks = to_node(of_[i], node);
        copy_bytes(all_.data() + begin_of_.begin(i) + blocks.first, next, blocks.count, context_);
        next += blocks.count;
      }
    }
    COLLTREE_TRY(
        to_.set_lengths(nodes_.nodes(), [this](int node) { return all_of(of_.get(), node); }));
    return from_.set_lengths(nodes_.nodes(), [this](int node) { return all_of(for_, node); });
  }
  std::size_t all_of(const Offsets* of_ranks, int node) const {
    std::size_t sum = 0;
    for (int i = 0; i < node_.size(); ++i) sum += to_node(of_ranks[i], node).count;
    return sum;
  }

  int exchange() const {
    Subgroup leaders;
    COLLTREE_TRY(place_.open_lane(leaders, context_));
    return exchange_pieces(
        leaders, out_.data(), [this](int node) { return to_.range(node); }, in_.data(),
        [this](int node) { return from_.range(node); });
  }

  // From a node after the other, of each rank there its blocks for the ranks here.
  void sort_in() const {
    const std::byte* next = in_.data();
    for (int position = 0; position < b_.size; ++position) {
      for (int i = 0; i < node_.size(); ++i) {
        const Range block = for_[i].range(position);
        copy_bytes(next, all_.data() + begin_for_.begin(i) + block.first, block.count, context_);
        next += block.count;
      }
    }
  }

  int scatter() const {
    Requests requests;
    for (int i = 1; i < node_.size(); ++i)
      COLLTREE_TRY(requests.post_send_bytes(all_.data() + begin_for_.begin(i), for_[i].total(), i,
                                            node_.context()));
    COLLTREE_TRY(unpack_all(all_.data()));
    return requests.wait_all();
  }

  int unpack_all(const std::byte* packed) const {
    for (int i = 0; i < b_.size; ++i)
      COLLTREE_TRY(unpack_from(packed + received_.begin(i), nodes_.rank_at(i)));
    return MPI_SUCCESS;
  }

  // Of a leader.
  std::unique_ptr<Offsets[]> of_;  // of what each rank here sends, by position
  Offsets* for_ = nullptr;         // of what it gets
  Offsets begin_of_;               // of the ranks' among each other
  Offsets begin_for_;
  Offsets to_;    // by node
  Offsets from_;  // likewise
  Scratch all_;   // gathered, later to be scattered
  Scratch out_;
  Scratch in_;
};

template <typename Exchange>
int exchange(const CollectiveCall& call, const Context& context) {
  Blocks blocks;
  COLLTREE_TRY(blocks.open(call, context));
  const NodePlace place(*context.nodes, blocks.rank);
  return Exchange(blocks, place, context).run();
}

}  // namespace

namespace rows {

int alltoall_hierarchical(const CollectiveCall& call, const Context& context) {
  return exchange<LeaderExchange>(call, context);
}
int alltoall_locality(const CollectiveCall& call, const Context& context) {
  return exchange<LaneExchange>(call, context);
}
int alltoallv_hierarchical(const CollectiveCall& call, const Context& context) {
  return exchange<LeaderExchange>(call, context);
}
int alltoallv_locality(const CollectiveCall& call, const Context& context) {
  return exchange<LaneExchange>(call, context);
}

}  // namespace rows

}  // namespace colltree
