// SPDX-License-Identifier: BSD-3-Clause
// bcast scatter_allgather and scatter_allgather_ring: the message is cut into one piece for each
// rank, scattered down a binomial tree, and gathered by every rank (van de Geijn; Thakur,
// Rabenseifner, Gropp, Optimization of collective communication operations in MPICH, 2005, on
// broadcast).
#include "algorithms/block_space.h"
#include "algorithms/transfer.h"
#include "algorithms/trees.h"
#include "algorithms/types.h"

namespace colltree::algorithms {

namespace {

// Pieces by position: (rank - root) mod size.
class ScatteredBcast {
 public:
  ScatteredBcast(const CollectiveCall& call, const Context& context)
      : call_(call),
        context_(context),
        rank_(context.rank),
        size_(context.size),
        placement_(Placement::from_root(size_, call.root)),
        position_(placement_.position(rank_)) {}

  int open() {
    COLLTREE_TRY(message_.open(call_, rank_ == call_.root, context_));
    return pieces_.set_parts(size_, message_.bytes());
  }

  // Afterwards each position has at least its own piece.
  void scatter() {
    const Tree tree = knomial_tree(size_, position_, 2);
    if (tree.parent != kNoRank) {
      const int end = std::min(2 * position_ - tree.parent, size_);
      note(receive_bytes(at(position_), bytes(position_, end), placement_.rank(tree.parent),
                         context_));
    }
    // Sends in turn: the largest subtree comes first and must not share the way.
    for (int i = tree.child_count - 1; i >= 0; --i) {
      const int child = tree.children[i];
      const int end = std::min(2 * child - position_, size_);
      note(
          send_bytes_after(error_, at(child), bytes(child, end), placement_.rank(child), context_));
    }
  }

  int gather_by_doubling() {
    for (int distance = 1; distance < size_; distance *= 2) {
      const int peer = position_ ^ distance;
      note(exchange(position_ & ~(distance - 1), peer & ~(distance - 1), distance,
                    placement_.rank(peer), placement_.rank(peer)));
    }
    return close();
  }

  int gather_by_ring() {
    const int right = (rank_ + 1) % size_;
    const int left = (rank_ + size_ - 1) % size_;
    for (int step = 0; step < size_ - 1; ++step) {
      note(exchange((position_ + size_ - step) % size_, (position_ + 2 * size_ - 1 - step) % size_,
                    1, right, left));
    }
    return close();
  }

 private:
  std::byte* at(int position) const { return message_.data() + pieces_.begin(position); }
  std::size_t bytes(int first, int end) const { return pieces_.range(first, end).count; }
  int exchange(int out, int in, int pieces, int to, int from) const {
    return exchange_bytes_after(error_, at(out), bytes(out, out + pieces), to, at(in),
                                bytes(in, in + pieces), from, context_);
  }

  // A message of another length than a rank expects is an error of the program. The rank goes on
  // with empty pieces, so that those behind it do not wait and see it as well.
  void note(int error) { error_ = first_error(error_, error); }
  int close() {
    note(message_.close(context_));
    return error_;
  }

  const CollectiveCall& call_;
  const Context& context_;
  int rank_;
  int size_;
  Placement placement_;
  int position_;
  int error_ = MPI_SUCCESS;
  ByteMessage message_;
  Offsets pieces_;
};

}  // namespace

int bcast_scatter_allgather(const CollectiveCall& call, const Context& context) {
  ScatteredBcast bcast(call, context);
  COLLTREE_TRY(bcast.open());
  bcast.scatter();
  return bcast.gather_by_doubling();
}

int bcast_scatter_allgather_ring(const CollectiveCall& call, const Context& context) {
  ScatteredBcast bcast(call, context);
  COLLTREE_TRY(bcast.open());
  bcast.scatter();
  return bcast.gather_by_ring();
}

}  // namespace colltree::algorithms
