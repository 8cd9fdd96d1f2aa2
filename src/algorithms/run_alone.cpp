// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/run_alone.h"

#include "algorithms/types.h"

namespace colltree {

namespace {

// One block of a side: where it is and how it is described.
struct Side {
  const void* data;
  int count;
  MPI_Datatype type;
};

Side send_side(const CollectiveCall& call) {
  if (call.op != MPI_OP_NULL) {
    const int count = call.receive_counts != nullptr ? call.receive_counts[0] : call.receive_count;
    return {call.send, count, call.receive_type};
  }
  if (call.send_counts == nullptr) return {call.send, call.send_count, call.send_type};
  return {call.send, call.send_counts[0], call.send_type};
}

Side receive_side(const CollectiveCall& call) {
  const int count = call.receive_counts != nullptr ? call.receive_counts[0] : call.receive_count;
  return {call.receive, count, call.receive_type};
}

const void* displaced(const void* data, const int* displacements, const TypeLayout& layout) {
  return displacements == nullptr ? data : at(data, displacements[0] * layout.extent);
}

}  // namespace

int run_alone(const CollectiveCall& call, const Context& context) {
  if (call.collective == Collective::kBarrier || call.collective == Collective::kBcast ||
      call.collective == Collective::kExscan || call.send == MPI_IN_PLACE ||
      call.receive == MPI_IN_PLACE) {
    return MPI_SUCCESS;
  }
  Side from = send_side(call);
  Side to = receive_side(call);
  TypeLayout from_layout;
  TypeLayout to_layout;
  COLLTREE_TRY(describe(from.type, &from_layout));
  COLLTREE_TRY(describe(to.type, &to_layout));
  if (from_layout.size == 0 || from.count == 0) return MPI_SUCCESS;
  from.data = displaced(from.data, call.send_displacements, from_layout);
  to.data = displaced(to.data, call.receive_displacements, to_layout);
  return convert(from.data, static_cast<std::size_t>(from.count), from_layout,
                 const_cast<void*>(to.data), static_cast<std::size_t>(to.count), to_layout,
                 context);
}

}  // namespace colltree
