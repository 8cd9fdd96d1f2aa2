// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/transfer.h"

#include <new>
#include <thread>

namespace colltree::algorithms {

namespace {

// Waits for a request and lets another process have the core where that takes long. MPICH's own
// wait never does: where ranks outnumber cores a sender would spin for its turn of the core, some
// ms, for a receiver that has none. In the simulator each test would cost time.
int wait_for(MPI_Request* request, MPI_Status* status) {
#if defined(COLLTREE_SMPI)
  return PMPI_Wait(request, status);
#else
  constexpr int kTestsBeforeYield = 100;
  int done = 0;
  for (int tests = 0;; ++tests) {
    COLLTREE_TRY(PMPI_Test(request, &done, status));
    if (done != 0) return MPI_SUCCESS;
    if (tests >= kTestsBeforeYield) std::this_thread::yield();
  }
#endif
}

void abandon(MPI_Request* request) {
  if (*request == MPI_REQUEST_NULL) return;
  PMPI_Cancel(request);
  PMPI_Wait(request, MPI_STATUS_IGNORE);
}

// Not Waitall: where a rank is lost (ULFM) that of Open MPI 5.0.11 frees sends that are not
// complete and ends the job when they are. What is still active after an error, the destructors
// cancel.
int wait_each(MPI_Request* requests, int count) {
  for (int i = 0; i < count; ++i) COLLTREE_TRY(wait_for(&requests[i], MPI_STATUS_IGNORE));
  return MPI_SUCCESS;
}

bool is_synchronous(std::size_t index) { return (index + 1) % kSynchronousEvery == 0; }

}  // namespace

Requests::~Requests() {
  for (int i = 0; i < used_; ++i) abandon(&requests_[i]);
}

int Requests::make_room() {
  if (used_ < capacity_) return MPI_SUCCESS;
  const int capacity = 2 * capacity_;
  auto* grown = new (std::nothrow) MPI_Request[static_cast<std::size_t>(capacity)];
  if (grown == nullptr) return MPI_ERR_NO_MEM;
  std::copy_n(requests_, used_, grown);
  many_.reset(grown);
  requests_ = grown;
  capacity_ = capacity;
  return MPI_SUCCESS;
}

int Requests::post_send(const void* buffer, int count, MPI_Datatype type, int to,
                        const Context& context) {
  COLLTREE_TRY(make_room());
  COLLTREE_TRY(PMPI_Isend(buffer, count, type, peer(to, context), context.tag, context.comm,
                          &requests_[used_]));
  ++used_;
  return MPI_SUCCESS;
}

int Requests::post_receive(void* buffer, int count, MPI_Datatype type, int from,
                           const Context& context) {
  COLLTREE_TRY(make_room());
  COLLTREE_TRY(PMPI_Irecv(buffer, count, type, peer(from, context), context.tag, context.comm,
                          &requests_[used_]));
  ++used_;
  return MPI_SUCCESS;
}

int Requests::post_send_bytes(const std::byte* buffer, std::size_t bytes, int to,
                              const Context& context) {
  return post_send_elements(buffer, bytes, bytes_layout(), to, context);
}

int Requests::post_receive_bytes(std::byte* buffer, std::size_t bytes, int from,
                                 const Context& context) {
  return post_receive_elements(buffer, bytes, bytes_layout(), from, context);
}

int Requests::post_send_elements(const void* buffer, std::size_t count, const TypeLayout& layout,
                                 int to, const Context& context) {
  const Segments parts(count, 0);
  for (std::size_t i = 0; i < parts.count(); ++i) {
    COLLTREE_TRY(post_send(layout.element(buffer, parts.offset(i)), parts.length(i), layout.type,
                           to, context));
  }
  return MPI_SUCCESS;
}

int Requests::post_receive_elements(void* buffer, std::size_t count, const TypeLayout& layout,
                                    int from, const Context& context) {
  const Segments parts(count, 0);
  for (std::size_t i = 0; i < parts.count(); ++i) {
    COLLTREE_TRY(post_receive(layout.element(buffer, parts.offset(i)), parts.length(i), layout.type,
                              from, context));
  }
  return MPI_SUCCESS;
}

int Requests::wait_all() {
  COLLTREE_TRY(wait_each(requests_, used_));
  used_ = 0;
  return MPI_SUCCESS;
}

Window::~Window() {
  for (int i = 0; i < most_; ++i) abandon(&requests_[i]);
}

int Window::allocate(int most) {
  requests_.reset(new (std::nothrow) MPI_Request[static_cast<std::size_t>(most)]);
  if (requests_ == nullptr) return MPI_ERR_NO_MEM;
  std::fill_n(requests_.get(), most, MPI_REQUEST_NULL);
  most_ = most;
  return MPI_SUCCESS;
}

int Window::next(MPI_Request** request) {
  *request = &requests_[turn_];
  turn_ = turn_ + 1 == most_ ? 0 : turn_ + 1;
  return wait_for(*request, MPI_STATUS_IGNORE);
}

int Window::post_send(const void* buffer, int count, MPI_Datatype type, int to,
                      const Context& context) {
  MPI_Request* request = nullptr;
  COLLTREE_TRY(next(&request));
  return PMPI_Isend(buffer, count, type, peer(to, context), context.tag, context.comm, request);
}

int Window::post_receive(void* buffer, int count, MPI_Datatype type, int from,
                         const Context& context) {
  MPI_Request* request = nullptr;
  COLLTREE_TRY(next(&request));
  return PMPI_Irecv(buffer, count, type, peer(from, context), context.tag, context.comm, request);
}

int Window::post_segment(const void* buffer, int count, MPI_Datatype type, int to,
                         std::size_t index, const Context& context) {
  if (!is_synchronous(index)) return post_send(buffer, count, type, to, context);
  MPI_Request* request = nullptr;
  COLLTREE_TRY(next(&request));
  return PMPI_Issend(buffer, count, type, peer(to, context), context.tag, context.comm, request);
}

int Window::wait_all() { return wait_each(requests_.get(), most_); }

namespace {

int check_length(const MPI_Status& status, std::size_t bytes) {
  int received = 0;
  COLLTREE_TRY(PMPI_Get_count(&status, MPI_BYTE, &received));
  // Undefined: more than an int counts.
  const bool whole = received == MPI_UNDEFINED || static_cast<std::size_t>(received) == bytes;
  return whole ? MPI_SUCCESS : MPI_ERR_TRUNCATE;
}

}  // namespace

Receive::~Receive() { abandon(&request_); }

int Receive::post(void* buffer, int count, MPI_Datatype type, int from, const Context& context) {
  return PMPI_Irecv(buffer, count, type, peer(from, context), context.tag, context.comm, &request_);
}

int Receive::wait() { return wait_for(&request_, MPI_STATUS_IGNORE); }

int Receive::wait_whole(std::size_t bytes) {
  MPI_Status status;
  COLLTREE_TRY(wait_for(&request_, &status));
  return check_length(status, bytes);
}

int send(const void* buffer, int count, MPI_Datatype type, int to, const Context& context) {
  return PMPI_Send(buffer, count, type, peer(to, context), context.tag, context.comm);
}

int receive(void* buffer, int count, MPI_Datatype type, int from, const Context& context) {
  return PMPI_Recv(buffer, count, type, peer(from, context), context.tag, context.comm,
                   MPI_STATUS_IGNORE);
}

int receive_whole(void* buffer, int count, MPI_Datatype type, int from, const Context& context) {
  MPI_Status status;
  std::size_t bytes = 0;
  COLLTREE_TRY(message_bytes(count, type, &bytes));
  COLLTREE_TRY(
      PMPI_Recv(buffer, count, type, peer(from, context), context.tag, context.comm, &status));
  return check_length(status, bytes);
}

int send_segment(const void* buffer, int count, MPI_Datatype type, int to, std::size_t index,
                 const Context& context) {
  if (!is_synchronous(index)) return send(buffer, count, type, to, context);
  MPI_Request request = MPI_REQUEST_NULL;
  COLLTREE_TRY(
      PMPI_Issend(buffer, count, type, peer(to, context), context.tag, context.comm, &request));
  return wait_for(&request, MPI_STATUS_IGNORE);
}

int send_elements(const void* buffer, std::size_t count, const TypeLayout& layout, int to,
                  const Context& context) {
  const Segments parts(count, 0);
  for (std::size_t i = 0; i < parts.count(); ++i) {
    COLLTREE_TRY(
        send(layout.element(buffer, parts.offset(i)), parts.length(i), layout.type, to, context));
  }
  return MPI_SUCCESS;
}

int receive_elements(void* buffer, std::size_t count, const TypeLayout& layout, int from,
                     const Context& context) {
  const Segments parts(count, 0);
  for (std::size_t i = 0; i < parts.count(); ++i) {
    COLLTREE_TRY(receive(layout.element(buffer, parts.offset(i)), parts.length(i), layout.type,
                         from, context));
  }
  return MPI_SUCCESS;
}

int exchange_elements(const void* to_send, std::size_t send_count, int to, void* to_receive,
                      std::size_t receive_count, int from, const TypeLayout& layout,
                      const Context& context) {
  const Segments out(send_count, 0);
  const Segments in(receive_count, 0);
  MPI_Status status;
  for (std::size_t i = 0; i < std::max(out.count(), in.count()); ++i) {
    const bool sends = i < out.count();
    if (i >= in.count()) {
      // Not MPI_Sendrecv from MPI_PROC_NULL: where the communicator was revoked, Open MPI 5 cancels
      // a receive that it never posted, and crashes.
      COLLTREE_TRY(
          send(layout.element(to_send, out.offset(i)), out.length(i), layout.type, to, context));
      continue;
    }
    COLLTREE_TRY(PMPI_Sendrecv(layout.element(to_send, sends ? out.offset(i) : 0),
                               sends ? out.length(i) : 0, layout.type,
                               sends ? peer(to, context) : MPI_PROC_NULL, context.tag,
                               layout.element(to_receive, in.offset(i)), in.length(i), layout.type,
                               peer(from, context), context.tag, context.comm, &status));
    COLLTREE_TRY(check_length(status, in.length(i) * layout.size));
  }
  return MPI_SUCCESS;
}

TypeLayout bytes_layout() { return {.type = MPI_BYTE, .size = 1, .extent = 1}; }

int send_bytes(const std::byte* buffer, std::size_t bytes, int to, const Context& context) {
  return send_elements(buffer, bytes, bytes_layout(), to, context);
}

int receive_bytes(std::byte* buffer, std::size_t bytes, int from, const Context& context) {
  const Segments parts(bytes, 0);
  for (std::size_t i = 0; i < parts.count(); ++i) {
    COLLTREE_TRY(receive_whole(buffer + parts.offset(i), parts.length(i), MPI_BYTE, from, context));
  }
  return MPI_SUCCESS;
}

int exchange_bytes(const std::byte* to_send, std::size_t send_bytes, int to, std::byte* to_receive,
                   std::size_t receive_bytes, int from, const Context& context) {
  return exchange_elements(to_send, send_bytes, to, to_receive, receive_bytes, from, bytes_layout(),
                           context);
}

int send_bytes_after(int error, const std::byte* buffer, std::size_t bytes, int to,
                     const Context& context) {
  return error == MPI_SUCCESS ? send_bytes(buffer, bytes, to, context)
                              : send(nullptr, 0, MPI_BYTE, to, context);
}

int exchange_bytes_after(int error, const std::byte* to_send, std::size_t send_bytes, int to,
                         std::byte* to_receive, std::size_t receive_bytes, int from,
                         const Context& context) {
  if (error == MPI_SUCCESS)
    return exchange_bytes(to_send, send_bytes, to, to_receive, receive_bytes, from, context);
  // Not Waitall: where it fails MPICH calls the error handler of MPI_COMM_WORLD, the user's.
  const Segments in(receive_bytes, 0);
  COLLTREE_TRY(PMPI_Sendrecv(nullptr, 0, MPI_BYTE, peer(to, context), context.tag, to_receive,
                             in.length(0), MPI_BYTE, peer(from, context), context.tag, context.comm,
                             MPI_STATUS_IGNORE));
  for (std::size_t i = 1; i < in.count(); ++i) {
    COLLTREE_TRY(receive(to_receive + in.offset(i), in.length(i), MPI_BYTE, from, context));
  }
  return MPI_SUCCESS;
}

}  // namespace colltree::algorithms
