// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/blocks.h"

namespace colltree {

int Blocks::open(const CollectiveCall& call, const Context& context) {
  COLLTREE_TRY(PMPI_Comm_rank(context.comm, &rank));
  COLLTREE_TRY(PMPI_Comm_size(context.comm, &size));
  COLLTREE_TRY(describe(call.receive_type, &receive_layout));
  receive = call.receive;
  receive_count = call.receive_count;
  if (call.send != MPI_IN_PLACE) {
    send = call.send;
    send_count = call.send_count;
    return describe(call.send_type, &send_layout);
  }
  const std::size_t total =
      static_cast<std::size_t>(receive_count) * static_cast<std::size_t>(size);
  COLLTREE_TRY(copy_in_place.allocate(receive_layout, total));
  send = copy_in_place.data();
  send_count = receive_count;
  send_layout = receive_layout;
  return copy(receive, copy_in_place.data(), total, receive_layout, context);
}

int Blocks::keep_own(const Context& context) const {
  return convert(outgoing(rank), static_cast<std::size_t>(send_count), send_layout, incoming(rank),
                 static_cast<std::size_t>(receive_count), receive_layout, context);
}

}  // namespace colltree
