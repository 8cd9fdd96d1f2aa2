// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/transfer.h"

#include <new>

#include "algorithms/types.h"

namespace colltree {

namespace {

void abandon(MPI_Request* request) {
  if (*request == MPI_REQUEST_NULL) return;
  PMPI_Cancel(request);
  PMPI_Wait(request, MPI_STATUS_IGNORE);
}

}  // namespace

Requests::~Requests() {
  for (int i = 0; i < used_; ++i) abandon(&requests_[i]);
}

int Requests::allocate(int capacity) {
  requests_.reset(new (std::nothrow) MPI_Request[static_cast<std::size_t>(capacity)]);
  return requests_ == nullptr ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

int Requests::post_send(const void* buffer, int count, MPI_Datatype type, int to,
                        const Context& context) {
  COLLTREE_TRY(PMPI_Isend(buffer, count, type, to, context.tag, context.comm, &requests_[used_]));
  ++used_;
  return MPI_SUCCESS;
}

int Requests::post_receive(void* buffer, int count, MPI_Datatype type, int from,
                           const Context& context) {
  COLLTREE_TRY(PMPI_Irecv(buffer, count, type, from, context.tag, context.comm, &requests_[used_]));
  ++used_;
  return MPI_SUCCESS;
}

int Requests::wait_all() { return PMPI_Waitall(used_, requests_.get(), MPI_STATUSES_IGNORE); }

Receive::~Receive() { abandon(&request_); }

int Receive::post(void* buffer, int count, MPI_Datatype type, int from, const Context& context) {
  return PMPI_Irecv(buffer, count, type, from, context.tag, context.comm, &request_);
}

int Receive::wait() { return PMPI_Wait(&request_, MPI_STATUS_IGNORE); }

int send(const void* buffer, int count, MPI_Datatype type, int to, const Context& context) {
  return PMPI_Send(buffer, count, type, to, context.tag, context.comm);
}

int receive(void* buffer, int count, MPI_Datatype type, int from, const Context& context) {
  return PMPI_Recv(buffer, count, type, from, context.tag, context.comm, MPI_STATUS_IGNORE);
}

int send_segment(const void* buffer, int count, MPI_Datatype type, int to, std::size_t index,
                 const Context& context) {
  if (context.synchronous_every == 0 || (index + 1) % context.synchronous_every != 0)
    return send(buffer, count, type, to, context);
  MPI_Request request = MPI_REQUEST_NULL;
  COLLTREE_TRY(PMPI_Issend(buffer, count, type, to, context.tag, context.comm, &request));
  return PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

int send_bytes(const std::byte* buffer, std::size_t bytes, int to, const Context& context) {
  const Segments parts(bytes, 0);
  for (std::size_t i = 0; i < parts.count(); ++i)
    COLLTREE_TRY(send(buffer + parts.offset(i), parts.length(i), MPI_BYTE, to, context));
  return MPI_SUCCESS;
}

int receive_bytes(std::byte* buffer, std::size_t bytes, int from, const Context& context) {
  const Segments parts(bytes, 0);
  for (std::size_t i = 0; i < parts.count(); ++i)
    COLLTREE_TRY(receive(buffer + parts.offset(i), parts.length(i), MPI_BYTE, from, context));
  return MPI_SUCCESS;
}

int exchange_bytes(const std::byte* to_send, std::size_t send_bytes, int to, std::byte* to_receive,
                   std::size_t receive_bytes, int from, const Context& context) {
  const Segments out(send_bytes, 0);
  const Segments in(receive_bytes, 0);
  for (std::size_t i = 0; i < std::max(out.count(), in.count()); ++i) {
    const bool sends = i < out.count();
    const bool receives = i < in.count();
    COLLTREE_TRY(PMPI_Sendrecv(
        to_send + (sends ? out.offset(i) : 0), sends ? out.length(i) : 0, MPI_BYTE,
        sends ? to : MPI_PROC_NULL, context.tag, to_receive + (receives ? in.offset(i) : 0),
        receives ? in.length(i) : 0, MPI_BYTE, receives ? from : MPI_PROC_NULL, context.tag,
        context.comm, MPI_STATUS_IGNORE));
  }
  return MPI_SUCCESS;
}

}  // namespace colltree
