// SPDX-License-Identifier: BSD-3-Clause
// The arguments of an alltoall or alltoallv call as one rank sees them, and what its algorithms
// that know the nodes share.
#pragma once

#include <cstdint>

#include "algorithms/block_space.h"
#include "algorithms/subgroup.h"
#include "algorithms/transfer.h"

namespace colltree::algorithms {

// Blocks in one buffer: all of one count, or each of its own at its own place.
struct BlockList {
  const void* data = nullptr;
  int count = 0;
  const int* counts = nullptr;
  const int* displacements = nullptr;
  TypeLayout layout;

  int count_of(int peer) const { return counts == nullptr ? count : counts[peer]; }
  const void* block(int peer) const {
    const MPI_Aint first = displacements == nullptr
                               ? static_cast<MPI_Aint>(peer) * static_cast<MPI_Aint>(count)
                               : displacements[peer];
    return at(data, first * layout.extent);
  }
};

struct Blocks {
  BlockList send;  // with MPI_IN_PLACE a copy of `receive`
  BlockList receive;
  int rank = 0;
  int size = 0;

  int open(const CollectiveCall& call, const Context& context);

  // The size of each block; alltoall only.
  std::size_t bytes() const { return static_cast<std::size_t>(send.count) * send.layout.size; }
  const void* outgoing(int peer) const { return send.block(peer); }
  void* incoming(int peer) const { return const_cast<void*>(receive.block(peer)); }
  // The block that a rank sends to itself.
  int keep_own(const Context& context) const;

  int exchange(int to, int from, const Context& context) const;

 private:
  int copy_receive(const Context& context);

  Scratch copy_in_place_;
};

// Bytes of a block, as ranks send them to each other.
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

  // Packs this rank's blocks to send; uses the user's memory if they lie there in the right order.
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

}  // namespace colltree::algorithms
