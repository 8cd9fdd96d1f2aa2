// SPDX-License-Identifier: BSD-3-Clause
// alltoall and alltoallv locality: each rank sends to the rank of its index on every node what is
// for that node, then the ranks of a node exchange what came for one another, so that what one
// node sends to another travels as few messages (Traff, Hunold, Decomposing collectives for
// exploiting multi-lane communication, 2020, on full-lane alltoall). With fewer leaders a node than
// it has ranks the leader of a group of neighbours first collects all that these send (Kandalla,
// Subramoni, Santhanaraman, Koop, Panda, 2009, on several leaders a node). In alltoallv a rank
// first sends the lengths of its blocks to the ranks that pass them on.
#include <cstdint>

#include "algorithms/alltoall.h"
#include "algorithms/block_space.h"
#include "algorithms/subgroup.h"

namespace colltree::algorithms {

namespace {

// Bytes of a block, as ranks send them to each other.
using Length = std::uint64_t;

// Blocks lie one after the other as bytes, for or from the ranks by position.
class LaneExchange {
 public:
  LaneExchange(const Blocks& blocks, const NodePlace& place, const Context& context)
      : b_(blocks), place_(place), nodes_(place.nodes), context_(context) {}

  int run() {
    COLLTREE_TRY(open());
    if (!lanes_.open(nodes_, context_.fanout)) return MPI_ERR_NO_MEM;
    lane_begin_ = lanes_.lane_begin(place_.node, place_.index);
    lane_end_ = lanes_.lane_begin(place_.node, place_.index + 1);
    COLLTREE_TRY(lane_begin_ < lane_end_ ? lead() : hand_over());
    COLLTREE_TRY(allocate_pieces());
    for (int step = 0; step < node_.size(); ++step) COLLTREE_TRY(exchange_inside(step));
    return MPI_SUCCESS;
  }

 private:
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

  // Exchanges a piece with each rank i of `among`: sends out(i) of `from`, receives in(i) of `to`.
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

  std::size_t length_bytes() const { return sizeof(Length) * static_cast<std::size_t>(b_.size); }

  // To the leader of the group, which is a lower neighbour.
  int hand_over() {
    const std::byte* packed = nullptr;
    COLLTREE_TRY(pack_all(&packed));
    const int leader = lanes_.leader(place_.node, lane_begin_ - 1);
    if (!all_alike()) {
      COLLTREE_TRY(allocate_lengths(1));
      COLLTREE_TRY(send_bytes(reinterpret_cast<const std::byte*>(lengths_.get()), length_bytes(),
                              leader, node_.context()));
    }
    return send_bytes(packed, sent_.total(), leader, node_.context());
  }

  int lead() {
    const std::byte* out = nullptr;
    members_ = lanes_.end(lane_begin_, place_.node) - begin(lane_begin_, place_.node);
    COLLTREE_TRY(learn_lengths_of_group());
    COLLTREE_TRY(collect(&out));
    COLLTREE_TRY(learn_passing());
    COLLTREE_TRY(arrived_.allocate(passing_.total()));
    for (int lane = lane_begin_; lane < lane_end_; ++lane) {
      COLLTREE_TRY(exchange_lane(
          lane, out, [this](int node) { return to_.range(node); }, arrived_.data(),
          [&](int node) {
            return passing_.range(passing(begin(lane, node)), passing(lanes_.end(lane, node)));
          }));
    }
    return MPI_SUCCESS;
  }

  int begin(int lane, int node) const { return lanes_.first(lane, node); }
  // The first of the blocks, among those that come along the own lanes, of the rank at this place
  // in the order of the lanes; there is a block for each rank here.
  int passing(int i) const { return (i - lanes_.first(lane_begin_)) * node_.size(); }

  // Makes room for the lengths that the ranks of the group send, rank after rank, by position.
  int allocate_lengths(int members) {
    lengths_.reset(
        new (std::nothrow)
            Length[static_cast<std::size_t>(members) * static_cast<std::size_t>(b_.size)]);
    if (lengths_ == nullptr) return MPI_ERR_NO_MEM;
    for (int i = 0; i < b_.size; ++i) lengths_[i] = sent_.count(i);
    return MPI_SUCCESS;
  }
  int learn_lengths_of_group() {
    COLLTREE_TRY(allocate_lengths(members_));
    for (int member = 1; member < members_; ++member) {
      Length* of_member = lengths_.get() + static_cast<std::ptrdiff_t>(member) * b_.size;
      if (all_alike()) {
        std::copy(lengths_.get(), lengths_.get() + b_.size, of_member);
      } else {
        COLLTREE_TRY(receive_bytes(reinterpret_cast<std::byte*>(of_member), length_bytes(),
                                   place_.index + member, node_.context()));
      }
    }
    COLLTREE_TRY(group_.set_lengths(
        members_ * b_.size, [this](int i) { return static_cast<std::size_t>(lengths_[i]); }));
    return to_.set_lengths(nodes_.nodes(), [this](int node) {
      std::size_t sum = 0;
      for (int member = 0; member < members_; ++member) sum += of_member(member, node).count;
      return sum;
    });
  }
  Range of_member(int member, int node) const {
    const int first_block = member * b_.size;
    return group_.range(first_block + nodes_.first(node), first_block + nodes_.first(node + 1));
  }

  // Collects what the ranks of the group send, ordered by destination node; the part for one node
  // holds, rank by rank of the group, the blocks for the ranks of that node.
  int collect(const std::byte** out) {
    const std::byte* packed = nullptr;
    COLLTREE_TRY(pack_all(&packed));
    *out = packed;
    if (members_ == 1) return MPI_SUCCESS;
    Scratch gathered;
    COLLTREE_TRY(gathered.allocate(group_.total()));
    COLLTREE_TRY(out_.allocate(group_.total()));
    Requests requests;
    for (int member = 1; member < members_; ++member) {
      const Range range = group_.range(member * b_.size, (member + 1) * b_.size);
      COLLTREE_TRY(requests.post_receive_bytes(gathered.data() + range.first, range.count,
                                               place_.index + member, node_.context()));
    }
    COLLTREE_TRY(requests.wait_all());
    std::byte* next = out_.data();
    for (int node = 0; node < nodes_.nodes(); ++node) {
      for (int member = 0; member < members_; ++member) {
        const Range blocks = of_member(member, node);
        copy_bytes((member == 0 ? packed : gathered.data()) + blocks.first, next, blocks.count,
                   context_);
        next += blocks.count;
      }
    }
    *out = out_.data();
    return MPI_SUCCESS;
  }

  // With the leaders of the lane on all nodes. What the own group sends goes along its own lane.
  template <typename Out, typename In>
  int exchange_lane(int lane, const std::byte* from, Out out, std::byte* to, In in) const {
    Subgroup leaders;
    COLLTREE_TRY(place_.open_leaders(lanes_, lane, leaders, context_));
    return exchange_pieces(
        leaders, from, [&](int node) { return lane == lane_begin_ ? out(node) : Range{}; }, to, in);
  }

  // Learns the lengths of the blocks that this rank passes on.
  int learn_passing() {
    const int blocks = passing(lanes_.first(lane_end_));
    if (all_alike()) return passing_.set_equal(blocks, sent_.count(0));
    const auto size = static_cast<std::size_t>(members_) * static_cast<std::size_t>(b_.size);
    const std::unique_ptr<Length[]> lengths(new (std::nothrow)
                                                Length[size + static_cast<std::size_t>(blocks)]);
    if (lengths == nullptr) return MPI_ERR_NO_MEM;
    Length* received = lengths.get() + size;
    sort_lengths(lengths.get());
    const auto lengths_range = [](int first, int end) -> Range {
      return {static_cast<std::size_t>(first) * sizeof(Length),
              static_cast<std::size_t>(end - first) * sizeof(Length)};
    };
    for (int lane = lane_begin_; lane < lane_end_; ++lane) {
      COLLTREE_TRY(exchange_lane(
          lane, reinterpret_cast<const std::byte*>(lengths.get()),
          [&](int node) {
            return lengths_range(members_ * nodes_.first(node), members_ * nodes_.first(node + 1));
          },
          reinterpret_cast<std::byte*>(received),
          [&](int node) {
            return lengths_range(passing(begin(lane, node)), passing(lanes_.end(lane, node)));
          }));
    }
    return passing_.set_lengths(
        blocks, [received](int i) { return static_cast<std::size_t>(received[i]); });
  }
  // Sorts the lengths as the blocks are sorted.
  void sort_lengths(Length* sorted) const {
    for (int node = 0; node < nodes_.nodes(); ++node) {
      for (int member = 0; member < members_; ++member) {
        const Length* member_lengths =
            lengths_.get() + static_cast<std::ptrdiff_t>(member) * b_.size;
        sorted = std::copy(member_lengths + nodes_.first(node),
                           member_lengths + nodes_.first(node + 1), sorted);
      }
    }
  }

  // Calls visit(i) for the places, in the order of the lanes, of the ranks whose blocks the rank of
  // this index passes on here.
  template <typename Visit>
  void for_each_passed(int index, Visit visit) const {
    const int end = lanes_.first(lanes_.lane_begin(place_.node, index + 1));
    for (int i = lanes_.first(lanes_.lane_begin(place_.node, index)); i < end; ++i) visit(i);
  }
  std::size_t bytes_for(int index) const {
    std::size_t sum = 0;
    for_each_passed(place_.index, [&](int i) { sum += passing_.count(passing(i) + index); });
    return sum;
  }
  std::size_t received_from(int i) const {
    return received_.count(nodes_.position(lanes_.rank_at(i)));
  }
  std::size_t bytes_from(int index) const {
    std::size_t sum = 0;
    for_each_passed(index, [&](int i) { sum += received_from(i); });
    return sum;
  }
  int allocate_pieces() {
    std::size_t out = 0;
    std::size_t in = 0;
    for (int index = 0; index < node_.size(); ++index) {
      out = std::max(out, bytes_for(index));
      in = std::max(in, bytes_from(index));
    }
    COLLTREE_TRY(sorted_.allocate(out));
    return taken_.allocate(in);
  }

  int exchange_inside(int step) const {
    const int ranks = node_.size();
    const int to = (node_.rank() + step) % ranks;
    const int from = (node_.rank() + ranks - step) % ranks;
    std::byte* next = sorted_.data();
    for_each_passed(place_.index, [&](int i) {
      const Range block = passing_.range(passing(i) + to);
      copy_bytes(arrived_.data() + block.first, next, block.count, context_);
      next += block.count;
    });
    const std::byte* taken = sorted_.data();
    if (step > 0) {
      COLLTREE_TRY(exchange_bytes(sorted_.data(), bytes_for(to), to, taken_.data(),
                                  bytes_from(from), from, node_.context()));
      taken = taken_.data();
    }
    int error = MPI_SUCCESS;
    for_each_passed(from, [&](int i) {
      error = first_error(error, unpack_from(taken, lanes_.rank_at(i)));
      taken += received_from(i);
    });
    return error;
  }

  const Blocks& b_;
  const NodePlace& place_;
  const NodeLayout& nodes_;
  const Context& context_;
  Subgroup node_;
  Offsets sent_;      // by position
  Offsets received_;  // likewise
  Scratch packed_;
  NodeLanes lanes_;
  int lane_begin_ = 0;  // those that this rank leads
  int lane_end_ = 0;
  int members_ = 0;                    // ranks whose blocks it collects, its own among them
  std::unique_ptr<Length[]> lengths_;  // of what these send, by position
  Offsets group_;                      // likewise
  Offsets to_;                         // of all of them together, by node
  Offsets passing_;                    // of what comes along the own lanes
  Scratch out_;
  Scratch arrived_;
  Scratch sorted_;
  Scratch taken_;
};

}  // namespace

int alltoall_locality(const CollectiveCall& call, const Context& context) {
  Blocks blocks;
  COLLTREE_TRY(blocks.open(call, context));
  const NodePlace place(context);
  return LaneExchange(blocks, place, context).run();
}

}  // namespace colltree::algorithms
