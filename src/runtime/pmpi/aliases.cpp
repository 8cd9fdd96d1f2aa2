// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/pmpi/aliases.h"

#include <array>

#include "algorithms/types.h"
#include "runtime/cdt_view.h"
#include "runtime/pmpi/plain.h"

namespace colltree {

namespace {

std::array<bool, cdt::kCollectives> refused{};  // by collective

CollectiveCall aliased_call(Collective collective, int* buffer) {
  static constexpr int kOne = 1;
  static constexpr int kZero = 0;
  CollectiveCall call;
  call.collective = collective;
  call.send = call.receive = buffer;
  call.send_count = call.receive_count = 1;
  call.send_type = call.receive_type = MPI_INT;
  call.send_counts = call.receive_counts = &kOne;
  call.send_displacements = call.receive_displacements = &kZero;
  call.op = MPI_SUM;
  return call;
}

bool has_two_sides(Collective collective) {
  return collective != Collective::kBarrier && collective != Collective::kBcast &&
         collective != Collective::kGatherv;
}

const void* behind(const void* buffer, int elements, MPI_Datatype type) {
  std::size_t bytes = 0;
  if (message_bytes(1, type, &bytes) != MPI_SUCCESS) return nullptr;
  return at(buffer, static_cast<MPI_Aint>(elements) * static_cast<MPI_Aint>(bytes));
}

bool is_same_block(const CollectiveCall& c) {
  return c.send_type == c.receive_type && c.send_count == c.receive_count && c.send_count != 0;
}

// As MPICH sees it: the rank's own block in the buffer of all blocks, whose places it reckons in
// sizes of the type.
bool is_alias(const CollectiveCall& c, int rank) {
  switch (c.collective) {
    case Collective::kAllgather:
    case Collective::kGather:
      return is_same_block(c) &&
             c.send == behind(c.receive, rank * c.receive_count, c.receive_type);
    case Collective::kScatter:
      return is_same_block(c) && c.receive == behind(c.send, rank * c.send_count, c.send_type);
    case Collective::kAllgatherv:
      return c.send_type == c.receive_type && c.send_count != 0 && c.receive_counts[rank] != 0 &&
             c.send == behind(c.receive, c.receive_displacements[rank], c.receive_type);
    case Collective::kAlltoall:
      return is_same_block(c) && c.send == c.receive;
    case Collective::kAlltoallv:
      return c.send_type == c.receive_type && c.send_counts == c.receive_counts &&
             c.send == c.receive;
    default:
      return c.send == c.receive;
  }
}

}  // namespace

void ask_about_aliases(MPI_Comm alone) noexcept {
  int buffer[2] = {};
  for (const CollectiveInfo& info : all_collectives()) {
    refused[static_cast<std::size_t>(info.collective)] =
        has_two_sides(info.collective) &&
        call_library(aliased_call(info.collective, buffer), alone) != MPI_SUCCESS;
  }
}

bool is_refused_alias(const CollectiveCall& call, int rank, bool sends, bool receives) noexcept {
  return refused[static_cast<std::size_t>(call.collective)] && sends && receives &&
         call.send != MPI_BOTTOM && is_alias(call, rank);
}

}  // namespace colltree
