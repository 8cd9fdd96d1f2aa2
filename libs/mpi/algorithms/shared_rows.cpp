// SPDX-License-Identifier: BSD-3-Clause
// barrier, bcast, reduce and allreduce shared_memory: the steps of shared_steps.h for the calls of
// MPI. Contributions lie there packed. No message is sent; the library's own go on meanwhile.
#include "algorithms/reduction.h"
#include "algorithms/shared_memory.h"
#include "algorithms/shared_steps.h"
#include "algorithms/transfer.h"
#include "algorithms/types.h"

namespace colltree::algorithms {

namespace {

// Any call of the library's does what is due. One that finds a message may do nothing else, so this
// one looks for a message that nobody sends.
void drive_messages(const void* what) {
  constexpr int kNeverSent = 32767;
  const auto& context = *static_cast<const Context*>(what);
  int found = 0;
  PMPI_Iprobe(peer(context.rank, context), kNeverSent, context.comm, &found, MPI_STATUS_IGNORE);
}

int code_of(SharedEnd end) {
  if (end == SharedEnd::kWell) return MPI_SUCCESS;
  return end == SharedEnd::kMismatch ? MPI_ERR_TRUNCATE : MPI_ERR_OTHER;
}

SharedSteps<SharedArena> steps_of(const Context& context) {
  SharedArena& arena = context.shared->arena();
  arena.set_drive(drive_messages, &context);
  return {arena, context.shared->count(), context.rank, context.size};
}

// One rank reads what another has just written: pieces that stay in the nearest cache.
constexpr std::size_t kNearBytes = 4096;

std::size_t segment_bytes(const Context& context, std::size_t unsaid) {
  const std::size_t wanted = context.segment_size == 0 ? unsaid : context.segment_size;
  return std::min(wanted, SharedArena::kLongBytes);
}

// Contributions up to this many bytes together are added up faster by one rank, or by each, than
// in slices, which take one more wait.
constexpr std::size_t kFewBytes = 2048;
constexpr std::size_t kFewRanks = 3;  // likewise of any length, by the root of a reduce

// A reduction's data packed, in the user's memory where it is so there.
class PackedSum : NotCopied {
 public:
  int open(const CollectiveCall& call, const Context& context) {
    context_ = &context;
    COLLTREE_TRY(r_.open(call, context));
    const auto ranks = static_cast<std::size_t>(context.size);
    is_added_alone_ = ranks * bytes() <= kFewBytes ||
                      (call.collective == Collective::kReduce && ranks <= kFewRanks);
    const std::size_t segment =
        segment_bytes(context, is_added_alone_ ? kNearBytes : SharedArena::kLongBytes);
    segment_ = std::min(r_.count, std::max<std::size_t>(1, segment / r_.layout.size));
    own_ = static_cast<const std::byte*>(r_.own);
    result_ = static_cast<std::byte*>(r_.result);
    return r_.layout.plain ? MPI_SUCCESS : open_packed();
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
      if (r_.add_at_once(lower, upper, n)) return true;
      rc = r_.layout.plain ? r_.fold(lower, upper, n) : fold_packed(lower, upper, n);
      return rc == MPI_SUCCESS;
    };
    const SharedSum<decltype(fold)> sum{own_,     result_,        r_.count, r_.layout.size,
                                        segment_, r_.commutative, few,      fold};
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
};

}  // namespace

int barrier_shared_memory(const CollectiveCall&, const Context& context) {
  return code_of(steps_of(context).barrier());
}

int bcast_shared_memory(const CollectiveCall& call, const Context& context) {
  ByteMessage message;
  COLLTREE_TRY(message.open(call, context.rank == call.root, context));
  COLLTREE_TRY(code_of(steps_of(context).bcast(call.root, message.data(), message.bytes(),
                                               segment_bytes(context, kNearBytes))));
  return message.close(context);
}

int reduce_shared_memory(const CollectiveCall& call, const Context& context) {
  PackedSum packed;
  COLLTREE_TRY(packed.open(call, context));
  if (!packed.fits()) return reduce_butterfly(call, context);
  auto steps = steps_of(context);
  if (packed.is_added_alone())
    return packed.with_sum([&](const auto& sum) { return steps.reduce_at_root(call.root, sum); });
  return packed.with_sum([&](const auto& sum) { return steps.reduce_slices(sum); });
}

int allreduce_shared_memory(const CollectiveCall& call, const Context& context) {
  PackedSum packed;
  COLLTREE_TRY(packed.open(call, context));
  if (!packed.fits()) return allreduce_recursive_doubling(call, context);
  auto steps = steps_of(context);
  if (packed.is_added_alone())
    return packed.with_sum([&](const auto& sum) { return steps.fold_all(sum); });
  return packed.with_sum([&](const auto& sum) { return steps.reduce_slices(sum); });
}

}  // namespace colltree::algorithms
