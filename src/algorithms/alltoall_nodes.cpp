// SPDX-License-Identifier: BSD-3-Clause
// alltoall that knows the nodes: what one node sends to another travels as few messages.
// Hierarchical (hierarchical.cpp): the leader of a node gathers all that its ranks send. Locality:
// each rank sends to the rank of its index on every node what is for that node, then the ranks of a
// node exchange what came for each other (Traff, Hunold, Decomposing collectives for exploiting
// multi-lane communication, 2020, on full-lane alltoall).
#include "algorithms/blocks.h"
#include "algorithms/rows.h"
#include "algorithms/subgroup.h"

namespace colltree {

namespace {

// Blocks of `block` bytes lie one after the other, for or from the ranks by position.
class NodeExchange {
 public:
  NodeExchange(const Blocks& blocks, const NodePlace& place, const Context& context)
      : b_(blocks), place_(place), nodes_(place.nodes), context_(context), block_(blocks.bytes()) {}

 protected:
  std::size_t bytes(int blocks) const { return static_cast<std::size_t>(blocks) * block_; }
  int ranks_here() const { return nodes_.ranks_on(place_.node); }

  // What this rank sends, in its own memory where it lies there so.
  int pack_all(const std::byte** packed) {
    if (nodes_.is_by_blocks() && b_.send.layout.plain) {
      *packed = static_cast<const std::byte*>(b_.outgoing(0));
      return MPI_SUCCESS;
    }
    COLLTREE_TRY(packed_.allocate(bytes(b_.size)));
    for (int i = 0; i < b_.size; ++i)
      COLLTREE_TRY(pack(b_.outgoing(nodes_.rank_at(i)), static_cast<std::size_t>(b_.send.count),
                        b_.send.layout, packed_.data() + bytes(i), context_));
    *packed = packed_.data();
    return MPI_SUCCESS;
  }
  int unpack_from(const std::byte* block, int rank) const {
    return unpack(block, b_.incoming(rank), static_cast<std::size_t>(b_.receive.count),
                  b_.receive.layout, context_);
  }

  // Of `among`, with each a piece for a piece of as many bytes: std::byte* out(i), in(i),
  // std::size_t length(i).
  template <typename Out, typename In, typename Length>
  int exchange_pieces(const Subgroup& among, Out out, In in, Length length) const {
    const int size = among.size();
    const int here = among.rank();
    Requests requests;
    for (int step = 1; step < size; ++step) {
      const int from = (here + size - step) % size;
      COLLTREE_TRY(requests.post_receive_bytes(in(from), length(from), from, among.context()));
    }
    for (int step = 1; step < size; ++step) {
      const int to = (here + step) % size;
      COLLTREE_TRY(requests.post_send_bytes(out(to), length(to), to, among.context()));
    }
    copy_bytes(out(here), in(here), length(here), context_);
    return requests.wait_all();
  }

  const Blocks& b_;
  const NodePlace& place_;
  const NodeLayout& nodes_;
  const Context& context_;
  std::size_t block_;

 private:
  Scratch packed_;
};

// Every node has equally many ranks.
class LaneExchange : public NodeExchange {
 public:
  using NodeExchange::NodeExchange;

  int run() {
    COLLTREE_TRY(place_.open_node(node_, context_));
    COLLTREE_TRY(place_.open_lane(lane_, context_));
    COLLTREE_TRY(arrived_.allocate(bytes(b_.size)));
    COLLTREE_TRY(exchange_nodes());
    COLLTREE_TRY(sorted_.allocate(bytes(lane_.size())));
    COLLTREE_TRY(received_.allocate(bytes(lane_.size())));
    for (int step = 0; step < node_.size(); ++step) COLLTREE_TRY(exchange_inside(step));
    return MPI_SUCCESS;
  }

 private:
  // What came along the lane from a node, for the rank of this index here.
  const std::byte* arrived(int node, int index) const {
    return arrived_.data() + bytes(node * node_.size() + index);
  }

  int exchange_nodes() {
    const std::byte* all = nullptr;
    COLLTREE_TRY(pack_all(&all));
    const auto before = [this](int node) { return bytes(node * node_.size()); };
    return exchange_pieces(
        lane_, [&](int node) { return all + before(node); },
        [&](int node) { return arrived_.data() + before(node); },
        [this](int) { return bytes(node_.size()); });
  }

  int exchange_inside(int step) const {
    const int ranks = node_.size();
    const int to = (node_.rank() + step) % ranks;
    const int from = (node_.rank() + ranks - step) % ranks;
    for (int node = 0; node < lane_.size(); ++node)
      copy_bytes(arrived(node, to), sorted_.data() + bytes(node), block_, context_);
    const std::byte* received = sorted_.data();
    if (step > 0) {
      COLLTREE_TRY(exchange_bytes(sorted_.data(), bytes(lane_.size()), to, received_.data(),
                                  bytes(lane_.size()), from, node_.context()));
      received = received_.data();
    }
    for (int node = 0; node < lane_.size(); ++node)
      COLLTREE_TRY(unpack_from(received + bytes(node), nodes_.rank(node, from)));
    return MPI_SUCCESS;
  }

  Subgroup node_;
  Subgroup lane_;
  Scratch arrived_;
  Scratch sorted_;
  Scratch received_;
};

// Nodes may have any ranks.
class LeaderExchange : public NodeExchange {
 public:
  using NodeExchange::NodeExchange;

  int run() {
    COLLTREE_TRY(place_.open_node(node_, context_));
    const std::byte* own = nullptr;
    COLLTREE_TRY(pack_all(&own));
    if (place_.leads()) return lead(own);
    Scratch result;
    COLLTREE_TRY(send_bytes(own, bytes(b_.size), 0, node_.context()));
    COLLTREE_TRY(result.allocate(bytes(b_.size)));
    COLLTREE_TRY(receive_bytes(result.data(), bytes(b_.size), 0, node_.context()));
    return unpack_all(result.data());
  }

 private:
  // Of each rank of this node, one after the other, what it sends or gets by position.
  std::byte* of_rank(const Scratch& all, int index, int position) const {
    return all.data() + bytes(index * b_.size + position);
  }
  // Of what goes to, or comes from, the ranks of a node: so many blocks lie before it.
  int blocks_before(int node) const { return ranks_here() * nodes_.first(node); }
  std::size_t bytes_of(int node) const { return bytes(ranks_here() * nodes_.ranks_on(node)); }

  int lead(const std::byte* own) {
    const std::size_t all = bytes(ranks_here() * b_.size);
    COLLTREE_TRY(ranks_.allocate(all));
    COLLTREE_TRY(out_.allocate(all));
    COLLTREE_TRY(in_.allocate(all));
    COLLTREE_TRY(gather(own));
    for (int node = 0; node < nodes_.nodes(); ++node) sort_out(node);
    COLLTREE_TRY(exchange());
    for (int node = 0; node < nodes_.nodes(); ++node) sort_in(node);
    return scatter();
  }

  int gather(const std::byte* own) const {
    Requests requests;
    for (int i = 1; i < ranks_here(); ++i)
      COLLTREE_TRY(
          requests.post_receive_bytes(of_rank(ranks_, i, 0), bytes(b_.size), i, node_.context()));
    copy_bytes(own, of_rank(ranks_, 0, 0), bytes(b_.size), context_);
    return requests.wait_all();
  }

  // For a node, of each rank here its blocks for the ranks there.
  void sort_out(int node) const {
    const int there = nodes_.ranks_on(node);
    std::byte* next = out_.data() + bytes(blocks_before(node));
    for (int i = 0; i < ranks_here(); ++i, next += bytes(there))
      copy_bytes(of_rank(ranks_, i, nodes_.first(node)), next, bytes(there), context_);
  }

  int exchange() const {
    Subgroup leaders;
    COLLTREE_TRY(place_.open_lane(leaders, context_));
    const auto before = [this](int node) { return bytes(blocks_before(node)); };
    return exchange_pieces(
        leaders, [&](int node) { return out_.data() + before(node); },
        [&](int node) { return in_.data() + before(node); },
        [this](int node) { return bytes_of(node); });
  }

  // From a node, of each rank there its blocks for the ranks here.
  void sort_in(int node) const {
    const std::byte* next = in_.data() + bytes(blocks_before(node));
    for (int position = nodes_.first(node); position < nodes_.first(node + 1); ++position) {
      for (int i = 0; i < ranks_here(); ++i, next += block_)
        copy_bytes(next, of_rank(ranks_, i, position), block_, context_);
    }
  }

  int scatter() const {
    Requests requests;
    for (int i = 1; i < ranks_here(); ++i)
      COLLTREE_TRY(
          requests.post_send_bytes(of_rank(ranks_, i, 0), bytes(b_.size), i, node_.context()));
    COLLTREE_TRY(unpack_all(of_rank(ranks_, 0, 0)));
    return requests.wait_all();
  }

  int unpack_all(const std::byte* packed) const {
    for (int i = 0; i < b_.size; ++i)
      COLLTREE_TRY(unpack_from(packed + bytes(i), nodes_.rank_at(i)));
    return MPI_SUCCESS;
  }

  Subgroup node_;
  Scratch ranks_;  // gathered, later to be scattered
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

}  // namespace rows

}  // namespace colltree
