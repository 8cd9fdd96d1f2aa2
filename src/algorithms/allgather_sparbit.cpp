// SPDX-License-Identifier: BSD-3-Clause
// allgather and allgatherv sparbit: Loch, Koslovski, Sparbit: a new logarithmic-cost and data
// locality-aware MPI allgather algorithm (2021), section III. As Bruck's, with the long distances
// first: what travels far are few blocks, and the last and longest messages are for neighbours.
#include "algorithms/gathering.h"
#include "algorithms/rows.h"

namespace colltree {

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
  // Up to so many bytes, the blocks of a message travel as one, else each from and to its place.
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

}  // namespace colltree
