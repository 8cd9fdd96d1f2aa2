// SPDX-License-Identifier: BSD-3-Clause
// alltoall and alltoallv hierarchical (hierarchical.cpp): the leader of a node gathers all that its
// ranks send, and what one node sends to another travels as one message. In alltoallv the ranks
// first send the lengths of their blocks to the leader. Locality: alltoall_lanes.cpp.
#include "algorithms/alltoall.h"

namespace colltree::algorithms {

namespace {

class LeaderExchange : public NodeExchange {
 public:
  using NodeExchange::NodeExchange;

  int run() {
    COLLTREE_TRY(open());
    const std::byte* packed = nullptr;
    COLLTREE_TRY(pack_all(&packed));
    if (place_.leads()) return lead(packed);
    Scratch result;
    if (!all_alike()) COLLTREE_TRY(tell_lengths());
    COLLTREE_TRY(send_bytes(packed, sent_.total(), 0, node_.context()));
    COLLTREE_TRY(result.allocate(received_.total()));
    COLLTREE_TRY(receive_bytes(result.data(), received_.total(), 0, node_.context()));
    return unpack_all(result.data());
  }

 private:
  Range to_node(const Offsets& blocks, int node) const {
    return blocks.range(nodes_.first(node), nodes_.first(node + 1));
  }

  std::size_t length_bytes() const {
    return 2 * sizeof(Length) * static_cast<std::size_t>(b_.size);
  }

  // Sends the leader the lengths of all that this rank sends and receives.
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

  int lead(const std::byte* packed) {
    COLLTREE_TRY(learn_lengths());
    COLLTREE_TRY(all_.allocate(std::max(begin_of_.total(), begin_for_.total())));
    COLLTREE_TRY(out_.allocate(begin_of_.total()));
    COLLTREE_TRY(in_.allocate(begin_for_.total()));
    COLLTREE_TRY(gather(packed));
    COLLTREE_TRY(sort_out());
    COLLTREE_TRY(exchange());
    sort_in();
    return scatter();
  }

  // Learns the lengths that each rank here sends and receives.
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
    const auto* received = reinterpret_cast<const Length*>(lengths.data());
    const auto from = [received](int begin) {
      return [received, begin](int i) { return static_cast<std::size_t>(received[begin + i]); };
    };
    COLLTREE_TRY(of_[index].set_lengths(b_.size, from(0)));
    return for_[index].set_lengths(b_.size, from(b_.size));
  }

  int gather(const std::byte* packed) const {
    Requests requests;
    for (int i = 1; i < node_.size(); ++i)
      COLLTREE_TRY(requests.post_receive_bytes(all_.data() + begin_of_.begin(i), of_[i].total(), i,
                                               node_.context()));
    copy_bytes(packed, all_.data(), of_[0].total(), context_);
    return requests.wait_all();
  }

  // Sorts what the ranks of this node send by destination node; the part for one node holds, rank
  // by rank of this node, the blocks for the ranks of that node.
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

  // The blocks come node after node, and from each rank there its blocks for the ranks here.
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

  // These members are used by leaders only.
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

}  // namespace

int alltoall_hierarchical(const CollectiveCall& call, const Context& context) {
  Blocks blocks;
  COLLTREE_TRY(blocks.open(call, context));
  const NodePlace place(*context.nodes, blocks.rank);
  return LeaderExchange(blocks, place, context).run();
}

}  // namespace colltree::algorithms
