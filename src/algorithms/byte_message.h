// SPDX-License-Identifier: BSD-3-Clause
// A broadcast message as the bytes that travel. Ranks may describe one message by different counts
// and types, so it may only be cut where all agree: in its packed bytes.
#pragma once

#include "algorithms/types.h"

namespace colltree {

class ByteMessage {
 public:
  // At the source the bytes are there at once; elsewhere they are received into data().
  int open(const CollectiveCall& call, bool source, const Context& context);
  // After the last byte: writes them to the buffer where they are not there already.
  int close(const Context& context);

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  TypeLayout layout_;
  Scratch packed_;
  void* buffer_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
  bool source_ = false;
};

}  // namespace colltree
