// SPDX-License-Identifier: BSD-3-Clause
// alltoall Bruck: a block travels the distance to its receiver digit by digit of that distance, to
// the base of the radix, together with all blocks that have the same digit there. A round for each
// digit, in it one message for each value of it but 0 (Bruck, Ho, Kipnis, Upfal, Weathersby,
// Efficient algorithms for all-to-all communications in multiport message-passing systems, 1997, on
// index).
#include <algorithm>

#include "algorithms/blocks.h"
#include "algorithms/rows.h"

namespace colltree {

namespace {

class Bruck {
 public:
  Bruck(const Blocks& blocks, const Context& context)
      : b_(blocks), context_(context), bytes_(blocks.bytes()) {}

  int run() {
    const std::size_t size = static_cast<std::size_t>(b_.size);
    COLLTREE_TRY(travelling_.allocate(size * bytes_));
    COLLTREE_TRY(outgoing_.allocate(size * bytes_));
    COLLTREE_TRY(incoming_.allocate(size * bytes_));
    COLLTREE_TRY(rotate_in());
    for (std::int64_t weight = 1; weight < b_.size; weight *= context_.radix)
      COLLTREE_TRY(round(weight));
    return rotate_out();
  }

 private:
  // Packed, in the order of the distance that the block has to travel.
  std::byte* block(std::int64_t distance) const {
    return travelling_.data() + static_cast<std::size_t>(distance) * bytes_;
  }

  int rotate_in() {
    const auto pack_blocks = [&](int first, int blocks, std::byte* to) {
      const std::size_t elements =
          static_cast<std::size_t>(blocks) * static_cast<std::size_t>(b_.send.count);
      return pack(b_.outgoing(first), elements, b_.send.layout, to, context_);
    };
    COLLTREE_TRY(pack_blocks(b_.rank, b_.size - b_.rank, block(0)));
    return pack_blocks(0, b_.rank, block(b_.size - b_.rank));
  }

  // The distances with this digit come in runs as long as its weight.
  template <typename Visit>
  std::size_t for_each_run(std::int64_t weight, int digit, Visit visit) const {
    std::size_t position = 0;
    for (std::int64_t first = digit * weight; first < b_.size; first += context_.radix * weight) {
      const auto bytes = static_cast<std::size_t>(std::min(weight, b_.size - first)) * bytes_;
      visit(block(first), position, bytes);
      position += bytes;
    }
    return position;
  }

  // All messages of a round are under way at once.
  int round(std::int64_t weight) {
    Requests requests;
    std::size_t begin = 0;
    for (int digit = 1; digit < context_.radix && digit * weight < b_.size; ++digit) {
      std::byte* out = outgoing_.data() + begin;
      const std::size_t total =
          for_each_run(weight, digit, [&](std::byte* run, std::size_t position, std::size_t bytes) {
            copy_bytes(run, out + position, bytes, context_);
          });
      const auto distance = static_cast<int>(digit * weight);
      const int to = (b_.rank + distance) % b_.size;
      const int from = (b_.rank + b_.size - distance) % b_.size;
      COLLTREE_TRY(requests.post_receive_bytes(incoming_.data() + begin, total, from, context_));
      COLLTREE_TRY(requests.post_send_bytes(out, total, to, context_));
      begin += total;
    }
    COLLTREE_TRY(requests.wait_all());
    begin = 0;
    for (int digit = 1; digit < context_.radix && digit * weight < b_.size; ++digit) {
      begin +=
          for_each_run(weight, digit, [&](std::byte* run, std::size_t position, std::size_t bytes) {
            copy_bytes(incoming_.data() + begin + position, run, bytes, context_);
          });
    }
    return MPI_SUCCESS;
  }

  // The block that travelled the distance d came from rank-d.
  int rotate_out() {
    for (int distance = 0; distance < b_.size; ++distance) {
      const int from = (b_.rank + b_.size - distance) % b_.size;
      COLLTREE_TRY(unpack(block(distance), b_.incoming(from),
                          static_cast<std::size_t>(b_.receive.count), b_.receive.layout, context_));
    }
    return MPI_SUCCESS;
  }

  const Blocks& b_;
  const Context& context_;
  std::size_t bytes_;
  Scratch travelling_;
  Scratch outgoing_;
  Scratch incoming_;
};

}  // namespace

namespace rows {

int alltoall_bruck(const CollectiveCall& call, const Context& context) {
  Blocks blocks;
  COLLTREE_TRY(blocks.open(call, context));
  return Bruck(blocks, context).run();
}

}  // namespace rows

}  // namespace colltree
