// SPDX-License-Identifier: BSD-3-Clause
// barrier, bcast, reduce and allreduce shared_memory: the steps of shared_steps.h for the calls of
// MPI. Contributions lie there packed. No message is sent; the library's own go on meanwhile.
#include "algorithms/reduction.h"
#include "algorithms/shared_direct.h"
#include "algorithms/shared_memory.h"
#include "algorithms/shared_steps.h"
#include "algorithms/shared_trees.h"
#include "algorithms/transfer.h"
#include "algorithms/types.h"

namespace colltree::algorithms {

namespace {

// Any call of the library's does what is due. One that finds a message may do nothing else, so this
// one looks for a message that nobody sends. In jobs that continue when a rank is lost it fails if
// that rank is, or if another rank has noticed a loss and revoked the communicator.
bool drive_messages(int rank, const void* what) {
  constexpr int kNeverSent = 32767;
  const auto& context = *static_cast<const Context*>(what);
  int found = 0;
  return PMPI_Iprobe(peer(rank, context), kNeverSent, context.comm, &found, MPI_STATUS_IGNORE) ==
         MPI_SUCCESS;
}

int code_of(SharedEnd end) {
  if (end == SharedEnd::kWell) return MPI_SUCCESS;
  return end == SharedEnd::kMismatch ? MPI_ERR_TRUNCATE : MPI_ERR_OTHER;
}

SharedArena& arena_of(const Context& context) {
  SharedArena& arena = context.shared->arena();
  arena.set_drive(drive_messages, &context);
  return arena;
}
template <template <typename> typename Steps = SharedSteps>
Steps<SharedArena> steps_of(const Context& context) {
  return {arena_of(context), context.shared->count(), context.rank, context.size};
}

// Runs run(steps) of TreeSteps, along a tree over the leaders of domains and inside each of them.
template <typename Run>
SharedEnd along_tree(int root, const Context& context, Run run) {
  const NodeLayout* const domains = context.shared->domains();
  if (domains == nullptr) return SharedEnd::kFailed;
  const Tree tree = tree_over_nodes(*domains, root, context.rank, context.radix);
  return run(TreeSteps<SharedArena>(arena_of(context), context.shared->count(), context.rank,
                                    context.size, tree));
}

// One rank reads what another has just written: pieces that stay in the nearest cache.
constexpr std::size_t kNearBytes = 4096;

std::size_t segment_bytes(const Context& context, std::size_t unsaid) {
  if (context.segment_size != 0)
    return std::min<std::size_t>(context.segment_size, SharedArena::kLongBytes);
  return context.shared->arena().is_crowded() ? SharedArena::kLongBytes : unsaid;
}

// Contributions up to this many bytes together are added up faster by one rank, or by each, than
// in slices, which take one more wait.
constexpr std::size_t kFewBytes = 2048;
constexpr std::size_t kFewRanks = 3;  // likewise of any length, by the root of a reduce

enum class Way : std::uint8_t { kSlices, kTree, kDirect };

// A reduction's data packed, in the user's memory where it is so there.
class PackedSum : NotCopied {
 public:
  int open(const CollectiveCall& call, const Context& context, Way way) {
    context_ = &context;
    COLLTREE_TRY(r_.open(call, context));
    const auto ranks = static_cast<std::size_t>(context.size);
    is_added_alone_ = ranks * bytes() <= kFewBytes ||
                      (call.collective == Collective::kReduce &&
                       (ranks <= kFewRanks || context.shared->arena().is_crowded()));
    const bool is_near = way == Way::kTree || (way == Way::kSlices && is_added_alone_);
    const std::size_t segment =
        segment_bytes(context, is_near ? kNearBytes : SharedArena::kLongBytes);
    segment_ = std::min(r_.count, std::max<std::size_t>(1, segment / r_.layout.size));
    own_ = static_cast<const std::byte*>(r_.own);
    result_ = static_cast<std::byte*>(r_.result);
    if (!r_.layout.plain) COLLTREE_TRY(open_packed());
    return way == Way::kDirect && fits() ? open_direct() : MPI_SUCCESS;
  }
  bool fits() const { return r_.layout.size <= SharedArena::kLongBytes; }
  // The root adds up, or each rank does.
  bool is_added_alone() const { return is_added_alone_; }

  // Runs run(sum) of the steps.
  template <typename Run>
  int with_sum(Run run) {
    alignas(64) std::byte few[kFewBytes];
    int rc = MPI_SUCCESS;
    const auto fold = [&](const std::byte* lower, std::byte* upper, std::size_t n) {
      if (add_at_once(r_.op, r_.layout.type, lower, upper, n)) return true;
      rc = r_.layout.plain ? r_.fold(lower, upper, n) : fold_packed(lower, upper, n);
      return rc == MPI_SUCCESS;
    };
    const SharedSum<decltype(fold)> sum{own_,
                                        result_,
                                        r_.count,
                                        r_.layout.size,
                                        segment_,
                                        r_.commutative,
                                        direct_.data() != nullptr ? direct_.data() : few,
                                        fold};
    const SharedEnd end = run(sum);
    if (end != SharedEnd::kWell) return rc != MPI_SUCCESS ? rc : code_of(end);
    if (r_.layout.plain || r_.result == nullptr) return MPI_SUCCESS;
    return unpack(result_, r_.result, r_.count, r_.layout, *context_);
  }

 private:
  std::size_t bytes() const { return r_.count * r_.layout.size; }
  int open_packed() {
    COLLTREE_TRY(packed_.allocate(bytes()));
    COLLTREE_TRY(pack(r_.own, r_.count, r_.layout, packed_.data(), *context_));
    own_ = packed_.data();
    const std::size_t most = std::max(segment_, std::min(r_.count, kFewBytes / r_.layout.size));
    COLLTREE_TRY(lower_.allocate(r_.layout, most));
    COLLTREE_TRY(upper_.allocate(r_.layout, most));
    if (r_.result == nullptr) return MPI_SUCCESS;
    COLLTREE_TRY(sums_.allocate(bytes()));
    result_ = sums_.data();
    return MPI_SUCCESS;
  }
  // Room for DirectSteps, whose slices have no more elements than this.
  int open_direct() {
    std::size_t slice =
        is_added_alone_ ? r_.count : r_.count / static_cast<std::size_t>(r_.size) + 65;
    if (result_ != own_ && (result_ != nullptr || is_added_alone_)) slice = 0;
    return direct_.allocate((segment_ + slice) * r_.layout.size);
  }
  // An operation takes elements as the type has them in memory.
  int fold_packed(const std::byte* lower, std::byte* upper, std::size_t n) {
    COLLTREE_TRY(unpack(lower, lower_.data(), n, r_.layout, *context_));
    COLLTREE_TRY(unpack(upper, upper_.data(), n, r_.layout, *context_));
    COLLTREE_TRY(r_.fold(lower_.data(), upper_.data(), n));
    return pack(upper_.data(), n, r_.layout, upper, *context_);
  }

  Reduction r_;
  const Context* context_ = nullptr;
  std::size_t segment_ = 0;  // elements
  bool is_added_alone_ = false;
  const std::byte* own_ = nullptr;
  std::byte* result_ = nullptr;
  Scratch packed_;
  Scratch sums_;
  Scratch lower_;
  Scratch upper_;
  Scratch direct_;
};

// Runs run(data, bytes, steps).
template <typename Run>
int bcast_by(const CollectiveCall& call, const Context& context, Run run) {
  if (const std::size_t size = common_size(call.receive_type); size != 0)
    return code_of(run(static_cast<std::byte*>(call.receive),
                       size * static_cast<std::size_t>(call.receive_count), steps_of(context)));
  ByteMessage message;
  COLLTREE_TRY(message.open(call, context.rank == call.root, context));
  COLLTREE_TRY(code_of(run(message.data(), message.bytes(), steps_of(context))));
  return message.close(context);
}

// A sum of few elements of a common type, by run(sum, steps, true) as below. PackedSum would write
// so much before that the core has no room for further stores while a cache line is on its way.
template <typename Run>
int reduce_at_once(const CollectiveCall& call, const Context& context, Run run) {
  int rc = MPI_SUCCESS;
  const auto fold = [&](const std::byte* lower, std::byte* upper, std::size_t n) {
    if (add_at_once(call.op, call.receive_type, lower, upper, n)) return true;
    rc = PMPI_Reduce_local(lower, upper, static_cast<int>(n), call.receive_type, call.op);
    return rc == MPI_SUCCESS;
  };
  const auto count = static_cast<std::size_t>(call.receive_count);
  alignas(64) std::byte few[kFewBytes];
  const SharedSum<decltype(fold)> sum{
      .own = static_cast<const std::byte*>(own_of(call)),
      .result = static_cast<std::byte*>(result_of(call, context.rank)),
      .count = count,
      .element = common_size(call.receive_type),
      .segment = count,
      .commutes = true,
      .spare = few,
      .fold = fold};
  const SharedEnd end = run(sum, steps_of(context), true);
  return rc != MPI_SUCCESS ? rc : code_of(end);
}

// Runs run(sum, steps, is_added_alone).
template <typename Run>
int reduce_by(Way way, const CollectiveCall& call, const Context& context, Run run) {
  const std::size_t bytes =
      static_cast<std::size_t>(call.receive_count) * common_size(call.receive_type);
  if (way != Way::kDirect && bytes > 0 && is_common(call.op) &&
      bytes * static_cast<std::size_t>(context.size) <= kFewBytes &&
      bytes <= segment_bytes(context, kNearBytes))
    return reduce_at_once(call, context, run);
  PackedSum packed;
  COLLTREE_TRY(packed.open(call, context, way));
  if (!packed.fits())
    return (call.collective == Collective::kReduce ? reduce_butterfly
                                                   : allreduce_recursive_doubling)(call, context);
  return packed.with_sum(
      [&](const auto& sum) { return run(sum, steps_of(context), packed.is_added_alone()); });
}

}  // namespace

int barrier_shared_memory(const CollectiveCall&, const Context& context) {
  return code_of(steps_of(context).barrier());
}

int barrier_shared_tree(const CollectiveCall&, const Context& context) {
  return code_of(along_tree(0, context, [](auto tree) { return tree.barrier(); }));
}

int bcast_shared_memory(const CollectiveCall& call, const Context& context) {
  return bcast_by(call, context, [&](std::byte* data, std::size_t bytes, auto steps) {
    return steps.bcast(call.root, data, bytes, segment_bytes(context, kNearBytes));
  });
}

int bcast_shared_tree(const CollectiveCall& call, const Context& context) {
  return bcast_by(call, context, [&](std::byte* data, std::size_t bytes, auto) {
    return along_tree(call.root, context, [&](auto tree) {
      return tree.bcast(data, bytes, segment_bytes(context, kNearBytes));
    });
  });
}

int bcast_shared_direct(const CollectiveCall& call, const Context& context) {
  return bcast_by(call, context, [&](std::byte* data, std::size_t bytes, auto) {
    return steps_of<DirectSteps>(context).bcast(call.root, data, bytes, kNearBytes);
  });
}

int reduce_shared_memory(const CollectiveCall& call, const Context& context) {
  return reduce_by(Way::kSlices, call, context, [&](const auto& sum, auto steps, bool alone) {
    return alone ? steps.reduce_at_root(call.root, sum) : steps.reduce_slices(sum);
  });
}

int reduce_shared_tree(const CollectiveCall& call, const Context& context) {
  return reduce_by(Way::kTree, call, context, [&](const auto& sum, auto, bool) {
    return along_tree(call.root, context, [&](auto tree) { return tree.reduce(sum, false); });
  });
}

int reduce_shared_direct(const CollectiveCall& call, const Context& context) {
  return reduce_by(Way::kDirect, call, context, [&](const auto& sum, auto, bool alone) {
    return steps_of<DirectSteps>(context).reduce(call.root, alone, sum);
  });
}

int allreduce_shared_memory(const CollectiveCall& call, const Context& context) {
  return reduce_by(Way::kSlices, call, context, [](const auto& sum, auto steps, bool alone) {
    return alone ? steps.fold_all(sum) : steps.reduce_slices(sum);
  });
}

int allreduce_shared_tree(const CollectiveCall& call, const Context& context) {
  return reduce_by(Way::kTree, call, context, [&](const auto& sum, auto, bool) {
    return along_tree(0, context, [&](auto tree) { return tree.reduce(sum, true); });
  });
}

int allreduce_shared_direct(const CollectiveCall& call, const Context& context) {
  return reduce_by(Way::kDirect, call, context, [&](const auto& sum, auto, bool) {
    return steps_of<DirectSteps>(context).reduce(-1, false, sum);
  });
}

}  // namespace colltree::algorithms
