// SPDX-License-Identifier: BSD-3-Clause
// The arguments of an alltoall call as one rank sees them.
#pragma once

#include "algorithms/types.h"

namespace colltree {

struct Blocks {
  const void* send = nullptr;
  void* receive = nullptr;
  int send_count = 0;
  int receive_count = 0;
  TypeLayout send_layout;
  TypeLayout receive_layout;
  int rank = 0;
  int size = 0;
  Scratch copy_in_place;  // with MPI_IN_PLACE: what `send` points to

  int open(const CollectiveCall& call, const Context& context);

  std::size_t bytes() const { return static_cast<std::size_t>(send_count) * send_layout.size; }
  const void* outgoing(int peer) const {
    return send_layout.element(
        send, static_cast<std::size_t>(peer) * static_cast<std::size_t>(send_count));
  }
  void* incoming(int peer) const {
    return receive_layout.element(
        receive, static_cast<std::size_t>(peer) * static_cast<std::size_t>(receive_count));
  }
  // The block that a rank sends to itself.
  int keep_own(const Context& context) const;
};

}  // namespace colltree
