// SPDX-License-Identifier: BSD-3-Clause
// Performs a collective call of the program: chooses the method, checks that the ranks agree, and
// runs it.
#pragma once

#include "algorithms/collective_call.h"
#include "runtime/communicator.h"
#include "runtime/job.h"

namespace colltree::runtime {

// The call's MPI return code; its errors were raised on `comm`. Needs a job (job.h).
int perform(const algorithms::CollectiveCall& call, MPI_Comm comm) noexcept;
// The same for a call that is known to be our row's, in fewer instructions.
int perform_known(const algorithms::CollectiveCall& call, Communicator& on,
                  const KnownCalls& known) noexcept;

// True if a call of a function with large counts can be performed: all ranks answer alike, for the
// message has as many bytes at each. Counts that are no int are -1 in `call`.
bool has_small_message(const algorithms::CollectiveCall& call, MPI_Comm comm) noexcept;

// alltoallv: whether a method of ours runs whatever the counts are. All ranks answer alike.
bool is_decided_without_size(Communicator& on) noexcept;

#ifdef COLLTREE_HAS_LARGE_COUNTS
// Calls of functions with large counts for each rank (MPI_Allgatherv_c), as those with int counts.
// The arrays of one side as the program passes them; null: it has none.
struct LargeCounts {
  const MPI_Count* counts = nullptr;
  const MPI_Aint* displacements = nullptr;
};

// Performs the call, `*rc` is its return code. False, at all ranks alike: the MPI library must
// carry it out, because its counts are no int everywhere or its choice is the library's. Needs a
// job.
bool perform_large(algorithms::CollectiveCall call, const LargeCounts& sent,
                   const LargeCounts& received, MPI_Comm comm, int* rc) noexcept;
#endif

}  // namespace colltree::runtime

namespace colltree::runtime::entry {

using Count = int;
using Offset = int;

// The arguments that give the size of a call, equal on all ranks (collective_call.h), and the
// operation.
struct SizeKey {
  int count = -2;  // no call has it: the size needs more than one argument
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
};
template <typename... Arguments>
SizeKey size_key(Arguments...) {
  return {};
}
inline SizeKey size_key() { return {0}; }  // barrier
inline SizeKey size_key(void*, int count, MPI_Datatype type, int) { return {count, type}; }
inline SizeKey size_key(const void*, int, MPI_Datatype, void*, int count, MPI_Datatype type) {
  return {count, type};
}
inline SizeKey size_key(const void*, void*, int count, MPI_Datatype type, MPI_Op op) {
  return {count, type, op};
}
inline SizeKey size_key(const void*, void*, int count, MPI_Datatype type, MPI_Op op, int) {
  return {count, type, op};
}

// Null: it was not decided yet who carries out such a call.
inline const KnownCalls* find_known(const Communicator* on, Operation operation, SizeKey key) {
  if (on == nullptr) return nullptr;
  const KnownCalls& known = on->known[static_cast<std::size_t>(operation)];
  const bool is_known = known.has_every || (known.count == key.count && known.type == key.type &&
                                            (known.row == nullptr || known.op == key.op));
  return is_known ? &known : nullptr;
}

// The entry of a program's collective calls from any language: entry::Bcast and so on, with the
// parameters of MPI_Bcast. Without a job the call is the library's own.
#define COLLTREE_COLLECTIVE(Name, name, NAME, n, parameters, arguments, call, ...)        \
  [[gnu::always_inline]] inline int Name##_in_job parameters {                            \
    Communicator* const on = seen_communicator(handle_of(comm));                          \
    const KnownCalls* const known = find_known(on, Operation::k##Name, size_key call);    \
    if (known != nullptr && known->row == nullptr) return PMPI_##Name arguments;          \
    const algorithms::CollectiveCall wanted = algorithms::name##_call call;               \
    return known == nullptr ? perform(wanted, comm) : perform_known(wanted, *on, *known); \
  }                                                                                       \
  inline int Name parameters {                                                            \
    return is_without_job(comm) ? PMPI_##Name arguments : Name##_in_job arguments;        \
  }
#include "coll/collectives.def"

// The ends of a communicator.
inline int Comm_free(MPI_Comm* comm) {
  return job == nullptr ? PMPI_Comm_free(comm) : free_communicator(comm, PMPI_Comm_free);
}
inline int Comm_disconnect(MPI_Comm* comm) {
  return job == nullptr ? PMPI_Comm_disconnect(comm)
                        : free_communicator(comm, PMPI_Comm_disconnect);
}

}  // namespace colltree::runtime::entry
