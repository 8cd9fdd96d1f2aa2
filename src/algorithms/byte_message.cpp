// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/byte_message.h"

namespace colltree {

int ByteMessage::open(void* buffer, int count, MPI_Datatype type, bool source,
                      const Context& context) {
  COLLTREE_TRY(describe(type, &layout_));
  buffer_ = buffer;
  count_ = static_cast<std::size_t>(count);
  bytes_ = count_ * layout_.size;
  source_ = source;
  data_ = static_cast<std::byte*>(buffer);
  if (layout_.plain) return MPI_SUCCESS;
  COLLTREE_TRY(packed_.allocate(bytes_));
  data_ = packed_.data();
  return source ? pack(buffer, count_, layout_, data_, context) : MPI_SUCCESS;
}

int ByteMessage::close(const Context& context) {
  if (layout_.plain || source_) return MPI_SUCCESS;
  return unpack(data_, buffer_, count_, layout_, context);
}

}  // namespace colltree
