// SPDX-License-Identifier: BSD-3-Clause
// alltoall and alltoallv linear, ring and pairwise: every block goes straight to its receiver. They
// differ in how many are under way and in the order of peers. Thakur, Rabenseifner, Gropp,
// Optimization of collective communication operations in MPICH (2005), on all-to-all.
// alltoall bruck: a block travels the distance to its receiver digit by digit of that
// distance, to the base of the radix, together with all blocks that have the same digit there. A
// round for each digit, in it one message for each value of it but 0 (Bruck, Ho, Kipnis,
// Upfal, Weathersby, Efficient algorithms for all-to-all communications in multiport
// message-passing systems, 1997, on index).
#include "algorithms/alltoall.h"

#include <algorithm>
#include <memory>
#include <new>

namespace colltree::algorithms {

int Blocks::open(const CollectiveCall& call, const Context& context) {
  rank = context.rank;
  size = context.size;
  COLLTREE_TRY(describe(call.receive_type, &receive.layout));
  receive.data = call.receive;
  receive.count = call.receive_count;
  receive.counts = call.receive_counts;
  receive.displacements = call.receive_displacements;
  if (call.send == MPI_IN_PLACE) return copy_receive(context);
  send.data = call.send;
  send.count = call.send_count;
  send.counts = call.send_counts;
  send.displacements = call.send_displacements;
  return describe(call.send_type, &send.layout);
}

// At the same displacements, from the lowest one on.
int Blocks::copy_receive(const Context& context) {
  send = receive;
  MPI_Aint low = 0;
  MPI_Aint high = static_cast<MPI_Aint>(receive.count) * size;
  if (receive.counts != nullptr) {
    low = high = receive.displacements[0];
    for (int i = 0; i < size; ++i) {
      low = std::min<MPI_Aint>(low, receive.displacements[i]);
      high = std::max<MPI_Aint>(high, MPI_Aint{receive.displacements[i]} + receive.counts[i]);
    }
  }
  COLLTREE_TRY(copy_in_place_.allocate(receive.layout, static_cast<std::size_t>(high - low)));
  send.data = at(copy_in_place_.data(), -low * receive.layout.extent);
  if (receive.counts == nullptr) {
    return copy(receive.data, copy_in_place_.data(), static_cast<std::size_t>(high), receive.layout,
                context);
  }
  for (int i = 0; i < size; ++i) {
    COLLTREE_TRY(copy(receive.block(i), const_cast<void*>(send.block(i)),
                      static_cast<std::size_t>(receive.counts[i]), receive.layout, context));
  }
  return MPI_SUCCESS;
}

int Blocks::keep_own(const Context& context) const {
  return convert(outgoing(rank), static_cast<std::size_t>(send.count_of(rank)), send.layout,
                 incoming(rank), static_cast<std::size_t>(receive.count_of(rank)), receive.layout,
                 context);
}

int Blocks::exchange(int to, int from, const Context& context) const {
  return PMPI_Sendrecv(outgoing(to), send.count_of(to), send.layout.type, peer(to, context),
                       context.tag, incoming(from), receive.count_of(from), receive.layout.type,
                       peer(from, context), context.tag, context.comm, MPI_STATUS_IGNORE);
}

// Step i sends to rank+i and receives from rank-i. The method says how many steps are under way:
// all of them or a window that a step leaves when it has both sent and received.
int alltoall_linear(const CollectiveCall& call, const Context& context) {
  Blocks blocks;
  Window sends;
  Window receives;
  COLLTREE_TRY(blocks.open(call, context));
  const int size = blocks.size;
  const int window = context.requests == 0 ? size - 1 : std::min(context.requests, size - 1);
  COLLTREE_TRY(sends.allocate(window));
  COLLTREE_TRY(receives.allocate(window));
  const auto receive = [&](int step) -> int {
    const int from = (blocks.rank + size - step) % size;
    return receives.post_receive(blocks.incoming(from), blocks.receive.count_of(from),
                                 blocks.receive.layout.type, from, context);
  };
  for (int step = 1; step <= window; ++step) COLLTREE_TRY(receive(step));
  for (int step = 1; step < size; ++step) {
    if (step > window) COLLTREE_TRY(receive(step));  // waits for the one a window before
    const int to = (blocks.rank + step) % size;
    COLLTREE_TRY(sends.post_send(blocks.outgoing(to), blocks.send.count_of(to),
                                 blocks.send.layout.type, to, context));
    if (step == window) COLLTREE_TRY(blocks.keep_own(context));
  }
  COLLTREE_TRY(receives.wait_all());
  return sends.wait_all();
}

// The same, one step after the other.
int alltoall_ring(const CollectiveCall& call, const Context& context) {
  Blocks blocks;
  COLLTREE_TRY(blocks.open(call, context));
  COLLTREE_TRY(blocks.keep_own(context));
  for (int step = 1; step < blocks.size; ++step) {
    COLLTREE_TRY(blocks.exchange((blocks.rank + step) % blocks.size,
                                 (blocks.rank + blocks.size - step) % blocks.size, context));
  }
  return MPI_SUCCESS;
}

// A power of two of ranks: in each step the ranks exchange in pairs.
int alltoall_pairwise(const CollectiveCall& call, const Context& context) {
  Blocks blocks;
  COLLTREE_TRY(blocks.open(call, context));
  COLLTREE_TRY(blocks.keep_own(context));
  for (int step = 1; step < blocks.size; ++step)
    COLLTREE_TRY(blocks.exchange(blocks.rank ^ step, blocks.rank ^ step, context));
  return MPI_SUCCESS;
}

namespace {

// Blocks by the distance that they have to travel. A block is packed with others to be sent on from
// where it arrived, so a hop costs one copy.
class AlltoallBruck {
 public:
  AlltoallBruck(const Blocks& blocks, const Context& context)
      : b_(blocks), context_(context), bytes_(blocks.bytes()) {}

  int run() {
    COLLTREE_TRY(open());
    for (std::int64_t weight = 1; weight < b_.size; weight *= context_.radix)
      COLLTREE_TRY(round(weight));
    return store();
  }

 private:
  static std::size_t index(std::int64_t distance) { return static_cast<std::size_t>(distance); }

  int open() {
    const std::size_t size = index(b_.size);
    blocks_.reset(new (std::nothrow) const std::byte*[size]);
    if (blocks_ == nullptr) return MPI_ERR_NO_MEM;
    const auto* blocks = static_cast<const std::byte*>(b_.outgoing(0));
    if (!b_.send.layout.plain) {
      const std::size_t elements = size * static_cast<std::size_t>(b_.send.count);
      COLLTREE_TRY(packed_.allocate(size * bytes_));
      COLLTREE_TRY(pack(blocks, elements, b_.send.layout, packed_.data(), context_));
      blocks = packed_.data();
    }
    for (int to = 0; to < b_.size; ++to)
      blocks_[index((to - b_.rank + b_.size) % b_.size)] = blocks + index(to) * bytes_;
    COLLTREE_TRY(arrived_.allocate(hops() * bytes_));
    next_arrival_ = arrived_.data();
    return outgoing_.allocate(size * bytes_);
  }

  // Calls visit(distance) for each block that a round's message with this digit carries: they come
  // in runs as long as the digit's weight.
  template <typename Visit>
  void for_each_block(std::int64_t weight, int digit, Visit visit) const {
    for (std::int64_t first = digit * weight; first < b_.size; first += context_.radix * weight) {
      const std::int64_t end = std::min<std::int64_t>(first + weight, b_.size);
      for (std::int64_t distance = first; distance < end; ++distance) visit(distance);
    }
  }

  std::size_t count_blocks(std::int64_t weight, int digit) const {
    std::size_t blocks = 0;
    for_each_block(weight, digit, [&](std::int64_t) { ++blocks; });
    return blocks;
  }

  // Calls visit(digit) for each message of a round.
  template <typename Visit>
  int for_each_message(std::int64_t weight, Visit visit) const {
    for (int digit = 1; digit < context_.radix && digit * weight < b_.size; ++digit)
      COLLTREE_TRY(visit(digit));
    return MPI_SUCCESS;
  }

  // Blocks that arrive here in all rounds together.
  std::size_t hops() const {
    std::size_t blocks = 0;
    for (std::int64_t weight = 1; weight < b_.size; weight *= context_.radix) {
      for_each_message(weight, [&](int digit) {
        blocks += count_blocks(weight, digit);
        return MPI_SUCCESS;
      });
    }
    return blocks;
  }

  // Copies the blocks to `out`, those that lie side by side at once.
  void gather(std::int64_t weight, int digit, std::byte* out) const {
    const std::byte* begin = nullptr;
    std::size_t length = 0;
    const auto flush = [&] {
      if (length > 0) copy_bytes(begin, out, length, context_);
      out += length;
    };
    for_each_block(weight, digit, [&](std::int64_t distance) {
      const std::byte* block = blocks_[index(distance)];
      if (length == 0 || block != begin + length) {
        flush();
        begin = block;
        length = 0;
      }
      length += bytes_;
    });
    flush();
  }

  // All messages of a round are under way at once.
  int round(std::int64_t weight) {
    Requests requests;
    std::byte* out = outgoing_.data();
    const auto exchange = [&](int digit) -> int {
      const auto distance = static_cast<int>(digit * weight);
      const int to = (b_.rank + distance) % b_.size;
      const int from = (b_.rank + b_.size - distance) % b_.size;
      const std::size_t blocks = count_blocks(weight, digit);
      if (blocks == 1) return exchange_alone(distance, to, from, requests);
      COLLTREE_TRY(requests.post_receive_bytes(next_arrival_, blocks * bytes_, from, context_));
      gather(weight, digit, out);
      for_each_block(weight, digit, [&](std::int64_t there) {
        blocks_[index(there)] = next_arrival_;
        next_arrival_ += bytes_;
      });
      COLLTREE_TRY(requests.post_send_bytes(out, blocks * bytes_, to, context_));
      out += blocks * bytes_;
      return MPI_SUCCESS;
    };
    COLLTREE_TRY(for_each_message(weight, exchange));
    return requests.wait_all();
  }

  // A block without company goes all its way in this round: from a caller's memory to a caller's.
  int exchange_alone(int distance, int to, int from, Requests& requests) {
    blocks_[index(distance)] = nullptr;
    COLLTREE_TRY(requests.post_receive(b_.incoming(from), b_.receive.count, b_.receive.layout.type,
                                       from, context_));
    return requests.post_send(b_.outgoing(to), b_.send.count, b_.send.layout.type, to, context_);
  }

  // The block that travelled the distance d came from rank-d.
  int store() const {
    for (int distance = 0; distance < b_.size; ++distance) {
      const std::byte* block = blocks_[index(distance)];
      if (block == nullptr) continue;
      const int from = (b_.rank + b_.size - distance) % b_.size;
      COLLTREE_TRY(unpack(block, b_.incoming(from), static_cast<std::size_t>(b_.receive.count),
                          b_.receive.layout, context_));
    }
    return MPI_SUCCESS;
  }

  const Blocks& b_;
  const Context& context_;
  std::size_t bytes_;
  std::unique_ptr<const std::byte*[]> blocks_;  // where each lies now, packed; null: it is there
  Scratch packed_;                              // the caller's, where its type is not plain
  Scratch arrived_;
  std::byte* next_arrival_ = nullptr;
  Scratch outgoing_;
};

}  // namespace

int alltoall_bruck(const CollectiveCall& call, const Context& context) {
  Blocks blocks;
  COLLTREE_TRY(blocks.open(call, context));
  return AlltoallBruck(blocks, context).run();
}

}  // namespace colltree::algorithms
