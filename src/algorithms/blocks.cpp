// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/blocks.h"

#include <algorithm>

namespace colltree {

int Blocks::open(const CollectiveCall& call, const Context& context) {
  COLLTREE_TRY(rank_and_size(context, &rank, &size));
  COLLTREE_TRY(describe(call.receive_type, &receive.layout));
  receive.data = call.receive;
  receive.count = call.receive_count;
  receive.counts = call.receive_counts;
  receive.displacements = call.receive_displacements;
  if (call.send == MPI_IN_PLACE) return copy_receive(context);
  send.data = call.send;
  send.count = call.send_count;
  send.counts = call.send_counts;
  send.displacements = call.send_displacements;
  return describe(call.send_type, &send.layout);
}

// At the same displacements, from the lowest one on.
int Blocks::copy_receive(const Context& context) {
  send = receive;
  MPI_Aint low = 0;
  MPI_Aint high = static_cast<MPI_Aint>(receive.count) * size;
  if (receive.counts != nullptr) {
    low = high = receive.displacements[0];
    for (int i = 0; i < size; ++i) {
      low = std::min<MPI_Aint>(low, receive.displacements[i]);
      high = std::max<MPI_Aint>(high, MPI_Aint{receive.displacements[i]} + receive.counts[i]);
    }
  }
  COLLTREE_TRY(copy_in_place_.allocate(receive.layout, static_cast<std::size_t>(high - low)));
  send.data = at(copy_in_place_.data(), -low * receive.layout.extent);
  if (receive.counts == nullptr) {
    return copy(receive.data, copy_in_place_.data(), static_cast<std::size_t>(high), receive.layout,
                context);
  }
  for (int i = 0; i < size; ++i) {
    COLLTREE_TRY(copy(receive.block(i), const_cast<void*>(send.block(i)),
                      static_cast<std::size_t>(receive.counts[i]), receive.layout, context));
  }
  return MPI_SUCCESS;
}

int Blocks::keep_own(const Context& context) const {
  return convert(outgoing(rank), static_cast<std::size_t>(send.count_of(rank)), send.layout,
                 incoming(rank), static_cast<std::size_t>(receive.count_of(rank)), receive.layout,
                 context);
}

int Blocks::exchange(int to, int from, const Context& context) const {
  return PMPI_Sendrecv(outgoing(to), send.count_of(to), send.layout.type, peer(to, context),
                       context.tag, incoming(from), receive.count_of(from), receive.layout.type,
                       peer(from, context), context.tag, context.comm, MPI_STATUS_IGNORE);
}

}  // namespace colltree
