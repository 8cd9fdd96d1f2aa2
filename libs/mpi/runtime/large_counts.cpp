// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/perform.h"
#ifdef COLLTREE_HAS_LARGE_COUNTS

#include <climits>
#include <new>

#include "algorithms/types.h"

namespace colltree::runtime {

namespace {

bool is_int(long long value) { return value >= INT_MIN && value <= INT_MAX; }

// True if all values are ints; only then does `narrow` hold them.
template <typename Large>
bool copy_to(int* narrow, const Large* values, int size) {
  bool fits = true;
  for (int i = 0; i < size; ++i) {
    fits = fits && is_int(values[i]);
    narrow[i] = static_cast<int>(values[i]);
  }
  return fits;
}

// No rank knows what others send: they must ask each other whether all counts are int. Only where a
// method of ours is to run.
bool prepare_alltoallv(algorithms::CollectiveCall& call, const LargeCounts& sent,
                       const LargeCounts& received, Communicator& on) {
  if (!is_decided_without_size(on)) return false;
  int* const narrow = on.narrowed.get();
  const int size = on.size;
  int fits =
      narrow != nullptr && copy_to(narrow, received.counts, size) &&
              copy_to(narrow + size, received.displacements, size) &&
              (call.send == MPI_IN_PLACE || (copy_to(narrow + 2 * size, sent.counts, size) &&
                                             copy_to(narrow + 3 * size, sent.displacements, size)))
          ? 1
          : 0;
  if (PMPI_Allreduce(MPI_IN_PLACE, &fits, 1, MPI_INT, MPI_MIN, on.comm) != MPI_SUCCESS || fits == 0)
    return false;
  call.receive_counts = narrow;
  call.receive_displacements = narrow + size;
  call.send_counts = narrow + 2 * size;
  call.send_displacements = narrow + 3 * size;
  return true;
}

// All bytes together, which are the same number at every rank; 0: not to be had, or more than int.
std::size_t bytes_of(const algorithms::CollectiveCall& call, const MPI_Count* counts, int size) {
  std::size_t each = 0;
  if (call.receive_type == MPI_DATATYPE_NULL || counts == nullptr ||
      algorithms::message_bytes(1, call.receive_type, &each) != MPI_SUCCESS)
    return 0;
  std::size_t bytes = 0;
  for (int i = 0; i < size; ++i) {
    if (!is_int(counts[i]) || counts[i] < 0) return 0;
    bytes += each * static_cast<std::size_t>(counts[i]);
    if (bytes > INT_MAX) return 0;
  }
  return bytes;
}

// Blocks that lie too far apart for int displacements, at this rank alone: by way of a buffer where
// they follow each other.
int perform_compact(algorithms::CollectiveCall call, const LargeCounts& received,
                    Communicator& on) {
  int* const begins = on.narrowed.get() + on.size;
  for (int i = 0, end = 0; i < on.size; end += call.receive_counts[i++]) begins[i] = end;
  const auto elements = static_cast<std::size_t>(begins[on.size - 1]) +
                        static_cast<std::size_t>(call.receive_counts[on.size - 1]);
  algorithms::TypeLayout layout;
  algorithms::Scratch compact;
  COLLTREE_TRY(algorithms::describe(call.receive_type, &layout));
  COLLTREE_TRY(compact.allocate(layout, elements));
  const auto block = [&](int i) {
    return algorithms::at(call.receive, received.displacements[i] * layout.extent);
  };
  const auto copy_block = [&](int i, bool back) {
    std::byte* const there = layout.element(compact.data(), static_cast<std::size_t>(begins[i]));
    return algorithms::copy(back ? there : block(i), back ? block(i) : there,
                            static_cast<std::size_t>(call.receive_counts[i]), layout, on.context());
  };
  if (call.send == MPI_IN_PLACE) COLLTREE_TRY(copy_block(on.rank, false));
  algorithms::CollectiveCall near = call;
  near.receive = compact.data();
  near.receive_displacements = begins;
  COLLTREE_TRY(perform(near, on.comm));
  for (int i = 0; i < on.size; ++i) COLLTREE_TRY(copy_block(i, true));
  return MPI_SUCCESS;
}

}  // namespace

bool perform_large(algorithms::CollectiveCall call, const LargeCounts& sent,
                   const LargeCounts& received, MPI_Comm comm, int* rc) noexcept {
  Communicator* on = communicator_of(comm);
  if (on == nullptr || on->kind != Kind::kDecided || on->is_dying) return false;
  const bool is_alltoallv = call.collective == Collective::kAlltoallv;
  if (!is_alltoallv && bytes_of(call, received.counts, on->size) == 0) return false;
  const auto size = static_cast<std::size_t>(on->size);
  if (on->narrowed == nullptr) on->narrowed.reset(new (std::nothrow) int[4 * size]);
  if (is_alltoallv) {
    if (!prepare_alltoallv(call, sent, received, *on)) return false;
    *rc = perform(call, comm);
    return true;
  }
  if (on->narrowed == nullptr) {
    *rc = PMPI_Comm_call_errhandler(comm, MPI_ERR_NO_MEM);
    return true;
  }
  copy_to(on->narrowed.get(), received.counts, on->size);
  call.receive_counts = on->narrowed.get();
  const bool is_near = received.displacements == nullptr ||
                       copy_to(on->narrowed.get() + size, received.displacements, on->size);
  if (received.displacements != nullptr) call.receive_displacements = on->narrowed.get() + size;
  *rc = is_near ? perform(call, comm) : perform_compact(call, received, *on);
  return true;
}

}  // namespace colltree::runtime

#endif
