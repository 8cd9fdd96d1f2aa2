// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/blocks.h"

namespace colltree {

int Blocks::open(const void* send_buffer, int send_count_of_call, MPI_Datatype send_type,
                 void* receive_buffer, int receive_count_of_call, MPI_Datatype receive_type,
                 const Context& context) {
  COLLTREE_TRY(PMPI_Comm_rank(context.comm, &rank));
  COLLTREE_TRY(PMPI_Comm_size(context.comm, &size));
  COLLTREE_TRY(describe(receive_type, &receive_layout));
  receive = receive_buffer;
  receive_count = receive_count_of_call;
  if (send_buffer != MPI_IN_PLACE) {
    send = send_buffer;
    send_count = send_count_of_call;
    return describe(send_type, &send_layout);
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
