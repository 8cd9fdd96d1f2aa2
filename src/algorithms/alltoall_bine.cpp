// SPDX-License-Identifier: BSD-3-Clause
// alltoall bine: in each step a rank gives its partner all blocks that it has for the ranks that
// the partner reaches by later steps (bine.h names the paper, on alltoall), half of those it has.
#include "algorithms/bine.h"
#include "algorithms/blocks.h"
#include "algorithms/rows.h"

namespace colltree {

namespace {

// Blocks stay where they arrived until they are sent on or have come to their rank.
class BineExchange {
 public:
  BineExchange(const Blocks& blocks, const Context& context)
      : b_(blocks), context_(context), bine_(blocks.size), bytes_(blocks.bytes()) {}

  int run() {
    COLLTREE_TRY(open());
    for (int step = 0; step < bine_.steps(); ++step) COLLTREE_TRY(exchange(step));
    for (int place = 0; place < b_.size; ++place) {
      COLLTREE_TRY(unpack(here_[index(place)], b_.incoming(origin(place)),
                          static_cast<std::size_t>(b_.receive.count), b_.receive.layout, context_));
    }
    return MPI_SUCCESS;
  }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  // By the rank for which a block is, in the order of the arc that this rank still has to reach;
  // those for one rank in the order in which they came together.
  int open() {
    here_.reset(new (std::nothrow) const std::byte*[index(b_.size)]);
    next_.reset(new (std::nothrow) const std::byte*[index(b_.size)]);
    if (here_ == nullptr || next_ == nullptr) return MPI_ERR_NO_MEM;
    const std::size_t all = index(b_.size) * bytes_;
    const auto* own = static_cast<const std::byte*>(b_.outgoing(0));
    if (!b_.send.layout.plain) {
      COLLTREE_TRY(packed_.allocate(all));
      COLLTREE_TRY(pack(own, index(b_.size) * static_cast<std::size_t>(b_.send.count),
                        b_.send.layout, packed_.data(), context_));
      own = packed_.data();
    }
    const Arc arc = bine_.reached(b_.rank, 0);
    for (int i = 0; i < arc.count; ++i)
      here_[index(i)] = own + index((arc.first + i) % b_.size) * bytes_;
    COLLTREE_TRY(outgoing_.allocate(all / 2));
    return arrived_.allocate(index(bine_.steps()) * (all / 2));
  }

  int exchange(int step) {
    const int partner = bine_.partner(b_.rank, step);
    const int origins = 1 << step;
    const int half = b_.size >> (step + 1);  // ranks
    // One of the two arcs begins where that of both does.
    const bool keeps_first =
        bine_.reached(b_.rank, step).first == bine_.reached(b_.rank, step + 1).first;
    const std::size_t bytes = index(half) * index(origins) * bytes_;
    std::byte* in = arrived_.data() + index(step) * bytes;
    Requests requests;
    COLLTREE_TRY(requests.post_receive_bytes(in, bytes, partner, context_));
    gather((keeps_first ? half : 0) * origins, half * origins);
    COLLTREE_TRY(requests.post_send_bytes(outgoing_.data(), bytes, partner, context_));
    take_in((keeps_first ? 0 : half) * origins, half, origins, in);
    return requests.wait_all();
  }

  // Copies so many blocks to be sent, those that lie side by side at once.
  void gather(int first, int blocks) const {
    std::byte* out = outgoing_.data();
    for (int i = first; i < first + blocks;) {
      const std::byte* begin = here_[index(i)];
      std::size_t length = 0;
      for (; i < first + blocks && here_[index(i)] == begin + length; ++i) length += bytes_;
      copy_bytes(begin, out, length, context_);
      out += length;
    }
  }

  // For each rank of the kept half: what was here, then what the partner had.
  void take_in(int first, int half, int origins, const std::byte* in) {
    const std::byte** next = next_.get();
    for (int rank = 0; rank < half; ++rank) {
      const std::byte** const before = here_.get() + first + rank * origins;
      next = std::copy(before, before + origins, next);
      for (int i = 0; i < origins; ++i, in += bytes_) *next++ = in;
    }
    here_.swap(next_);
  }

  // Of the block at this place among those of all ranks, at the end: the bits of the place say in
  // which steps a partner brought it.
  int origin(int place) const {
    int rank = b_.rank;
    for (int step = bine_.steps() - 1; step >= 0; --step) {
      if ((place >> step & 1) != 0) rank = bine_.partner(rank, step);
    }
    return rank;
  }

  const Blocks& b_;
  const Context& context_;
  Bine bine_;
  std::size_t bytes_;
  std::unique_ptr<const std::byte*[]> here_;  // where each lies now, packed
  std::unique_ptr<const std::byte*[]> next_;  // room for that of the next step
  Scratch packed_;                            // the caller's, where its type is not plain
  Scratch outgoing_;
  Scratch arrived_;
};

}  // namespace

namespace rows {

int alltoall_bine(const CollectiveCall& call, const Context& context) {
  Blocks blocks;
  COLLTREE_TRY(blocks.open(call, context));
  return BineExchange(blocks, context).run();
}

}  // namespace rows

}  // namespace colltree
