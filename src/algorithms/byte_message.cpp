// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/byte_message.h"

namespace colltree {

int ByteMessage::open(const CollectiveCall& call, bool source, const Context& context) {
  COLLTREE_TRY(describe(call.receive_type, &layout_));
  buffer_ = call.receive;
  count_ = static_cast<std::size_t>(call.receive_count);
  bytes_ = count_ * layout_.size;
  source_ = source;
  data_ = static_cast<std::byte*>(buffer_);
  if (layout_.plain) return MPI_SUCCESS;
  COLLTREE_TRY(packed_.allocate(bytes_));
  data_ = packed_.data();
  return source ? pack(buffer_, count_, layout_, data_, context) : MPI_SUCCESS;
}

int ByteMessage::close(const Context& context) {
  if (layout_.plain || source_) return MPI_SUCCESS;
  return unpack(data_, buffer_, count_, layout_, context);
}

}  // namespace colltree
