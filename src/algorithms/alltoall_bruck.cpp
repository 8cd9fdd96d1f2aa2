// SPDX-License-Identifier: BSD-3-Clause
// alltoall Bruck: about log2(size) rounds; a block travels the distance to its receiver as the sum
// of powers of two, together with all blocks that have this power in theirs.
#include <algorithm>

#include "algorithms/blocks.h"
#include "algorithms/rows.h"
#include "algorithms/transfer.h"

namespace colltree {

namespace {

class Bruck {
 public:
  Bruck(const Blocks& blocks, const Context& context)
      : b_(blocks), context_(context), bytes_(blocks.bytes()) {}

  int run() {
    const std::size_t size = static_cast<std::size_t>(b_.size);
    COLLTREE_TRY(travelling_.allocate(size * bytes_));
    COLLTREE_TRY(outgoing_.allocate(size / 2 * bytes_));
    COLLTREE_TRY(incoming_.allocate(size / 2 * bytes_));
    COLLTREE_TRY(rotate_in());
    for (int distance = 1; distance < b_.size; distance *= 2) COLLTREE_TRY(round(distance));
    return rotate_out();
  }

 private:
  // Packed, in the order of the distance that the block has to travel.
  std::byte* block(int distance) const {
    return travelling_.data() + static_cast<std::size_t>(distance) * bytes_;
  }

  int rotate_in() {
    const auto pack_blocks = [&](int first, int blocks, std::byte* to) {
      const std::size_t elements =
          static_cast<std::size_t>(blocks) * static_cast<std::size_t>(b_.send_count);
      return pack(b_.outgoing(first), elements, b_.send_layout, to, context_);
    };
    COLLTREE_TRY(pack_blocks(b_.rank, b_.size - b_.rank, block(0)));
    return pack_blocks(0, b_.rank, block(b_.size - b_.rank));
  }

  // Blocks with the bit `distance` lie in runs of that length: [d, 2d), [3d, 4d), ...
  template <typename Visit>
  std::size_t for_each_run(int distance, Visit visit) const {
    std::size_t position = 0;
    for (int first = distance; first < b_.size; first += 2 * distance) {
      const std::size_t bytes =
          static_cast<std::size_t>(std::min(distance, b_.size - first)) * bytes_;
      visit(block(first), position, bytes);
      position += bytes;
    }
    return position;
  }

  int round(int distance) {
    const std::size_t total =
        for_each_run(distance, [&](std::byte* run, std::size_t position, std::size_t bytes) {
          copy_bytes(run, outgoing_.data() + position, bytes, context_);
        });
    const int to = (b_.rank + distance) % b_.size;
    const int from = (b_.rank + b_.size - distance) % b_.size;
    COLLTREE_TRY(
        exchange_bytes(outgoing_.data(), total, to, incoming_.data(), total, from, context_));
    for_each_run(distance, [&](std::byte* run, std::size_t position, std::size_t bytes) {
      copy_bytes(incoming_.data() + position, run, bytes, context_);
    });
    return MPI_SUCCESS;
  }

  // The block that travelled the distance d came from rank-d.
  int rotate_out() {
    for (int distance = 0; distance < b_.size; ++distance) {
      const int from = (b_.rank + b_.size - distance) % b_.size;
      COLLTREE_TRY(unpack(block(distance), b_.incoming(from),
                          static_cast<std::size_t>(b_.receive_count), b_.receive_layout, context_));
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
