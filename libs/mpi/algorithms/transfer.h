// SPDX-License-Identifier: BSD-3-Clause
// Messages cut into segments, and the few ways in which the algorithms send and receive them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "algorithms/algorithms.h"
#include "algorithms/types.h"
#include "base/not_copied.h"

namespace colltree::algorithms {

// The rank of the Context's communicator that is this rank of the call.
inline int peer(int rank, const Context& context) {
  return context.ranks == nullptr ? rank : context.ranks[rank];
}

// A range of bytes or elements cut into equal segments, the last one shorter. No segment exceeds
// what one MPI call can count.
class Segments {
 public:
  // wanted 0: not segmented.
  Segments(std::size_t total, std::size_t wanted)
      : total_(total), length_(std::min({wanted == 0 ? total : wanted, total, kLongest})) {}

  std::size_t count() const { return total_ == 0 ? 0 : (total_ - 1) / length_ + 1; }
  std::size_t offset(std::size_t i) const { return i * length_; }
  int length(std::size_t i) const {
    return static_cast<int>(std::min(length_, total_ - offset(i)));
  }
  std::size_t longest() const { return length_; }

 private:
  static constexpr std::size_t kLongest = std::size_t{1} << 30;
  std::size_t total_;
  std::size_t length_;
};

// Every 16th segment to a receiver is a synchronous send, which waits until the receiver takes it.
// It bounds how far a sender runs ahead of a receiver that folds or has lost its core: libraries
// and SimGrid search the messages that nobody expected yet, at a cost that grows with their square.
// `post_segment` and `send_segment` take the segment's index, counted for each receiver. A message
// of fewer segments never waits.
inline constexpr std::size_t kSynchronousEvery = 16;

// Several requests that must not outlive the buffers they point to: those still active when an
// error ends the algorithm are cancelled.
class Requests : NotCopied {
 public:
  ~Requests();

  int post_send(const void* buffer, int count, MPI_Datatype type, int to, const Context& context);
  int post_receive(void* buffer, int count, MPI_Datatype type, int from, const Context& context);
  // The bytes go as one message, or as several if they exceed what one MPI call can count.
  int post_send_bytes(const std::byte* buffer, std::size_t bytes, int to, const Context& context);
  int post_receive_bytes(std::byte* buffer, std::size_t bytes, int from, const Context& context);
  int post_send_elements(const void* buffer, std::size_t count, const TypeLayout& layout, int to,
                         const Context& context);
  int post_receive_elements(void* buffer, std::size_t count, const TypeLayout& layout, int from,
                            const Context& context);
  int wait_all();

 private:
  static constexpr int kFew = 8;
  int make_room();

  MPI_Request few_[kFew];  // most calls need no memory of their own
  std::unique_ptr<MPI_Request[]> many_;
  MPI_Request* requests_ = few_;
  int capacity_ = kFew;
  int used_ = 0;
};

// Keeps at most a given number of messages in flight: posting one more waits for the oldest.
class Window : NotCopied {
 public:
  ~Window();

  int allocate(int most);
  int post_send(const void* buffer, int count, MPI_Datatype type, int to, const Context& context);
  int post_receive(void* buffer, int count, MPI_Datatype type, int from, const Context& context);
  int post_segment(const void* buffer, int count, MPI_Datatype type, int to, std::size_t index,
                   const Context& context);
  int wait_all();

 private:
  int next(MPI_Request** request);

  std::unique_ptr<MPI_Request[]> requests_;
  int most_ = 0;
  int turn_ = 0;
};

// One outstanding receive.
class Receive : NotCopied {
 public:
  ~Receive();

  int post(void* buffer, int count, MPI_Datatype type, int from, const Context& context);
  int wait();
  // MPI_ERR_TRUNCATE when the message was not so long.
  int wait_whole(std::size_t bytes);

 private:
  MPI_Request request_ = MPI_REQUEST_NULL;
};

int send(const void* buffer, int count, MPI_Datatype type, int to, const Context& context);
int receive(void* buffer, int count, MPI_Datatype type, int from, const Context& context);
// A message that the sender must have made as long: MPI_ERR_TRUNCATE when it is not.
int receive_whole(void* buffer, int count, MPI_Datatype type, int from, const Context& context);

int send_segment(const void* buffer, int count, MPI_Datatype type, int to, std::size_t index,
                 const Context& context);

// The same for any number of elements.
int send_elements(const void* buffer, std::size_t count, const TypeLayout& layout, int to,
                  const Context& context);
int receive_elements(void* buffer, std::size_t count, const TypeLayout& layout, int from,
                     const Context& context);
int exchange_elements(const void* to_send, std::size_t send_count, int to, void* to_receive,
                      std::size_t receive_count, int from, const TypeLayout& layout,
                      const Context& context);

// Bytes as they travel.
TypeLayout bytes_layout();

// The bytes go as one message, or as several if they exceed what one MPI call can count.
int send_bytes(const std::byte* buffer, std::size_t bytes, int to, const Context& context);
int receive_bytes(std::byte* buffer, std::size_t bytes, int from, const Context& context);
int exchange_bytes(const std::byte* to_send, std::size_t send_bytes, int to, std::byte* to_receive,
                   std::size_t receive_bytes, int from, const Context& context);
// The same for a rank that goes on after an error: then what it sends is empty, which its receiver
// sees as wrong.
int send_bytes_after(int error, const std::byte* buffer, std::size_t bytes, int to,
                     const Context& context);
int exchange_bytes_after(int error, const std::byte* to_send, std::size_t send_bytes, int to,
                         std::byte* to_receive, std::size_t receive_bytes, int from,
                         const Context& context);

}  // namespace colltree::algorithms
