// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/rooted_blocks.h"

namespace colltree {

int OwnBlock::open(void* buffer, int count, MPI_Datatype type, bool filled,
                   const Context& context) {
  COLLTREE_TRY(describe(type, &layout_));
  buffer_ = buffer;
  count_ = static_cast<std::size_t>(count);
  bytes_ = count_ * layout_.size;
  data_ = static_cast<std::byte*>(buffer);
  if (layout_.plain) return MPI_SUCCESS;
  COLLTREE_TRY(packed_.allocate(bytes_));
  data_ = packed_.data();
  return filled ? pack(buffer, count_, layout_, data_, context) : MPI_SUCCESS;
}

int OwnBlock::close(const Context& context) const {
  return layout_.plain ? MPI_SUCCESS : unpack(data_, buffer_, count_, layout_, context);
}

std::size_t SubtreeBlocks::offset(int position) const {
  const int place = position_ == 0 ? rank_of(position) : position - position_;
  return static_cast<std::size_t>(place) * block_;
}

int SubtreeBlocks::rank_of(int position) const {
  return position < size_ - root_ ? position + root_ : position - (size_ - root_);
}

template <typename Visit>
int SubtreeBlocks::for_each_message(int position, int peer_position, Visit visit) const {
  const int count = below(position);
  const int before_end = size_ - rank_of(position);
  const bool cut = (position_ == 0 || peer_position == 0) && before_end < count;
  if (!cut) return visit(position, count);
  COLLTREE_TRY(visit(position, before_end));
  return visit((size_ - root_) % size_, count - before_end);
}

int SubtreeBlocks::send(const std::byte* data, int position, int peer_position,
                        const Context& context) const {
  return for_each_message(position, peer_position, [&](int first, int count) {
    return send_bytes(data + offset(first), static_cast<std::size_t>(count) * block_,
                      rank_of(peer_position), context);
  });
}

int SubtreeBlocks::post_receive(std::byte* data, int position, int peer_position,
                                Requests& requests, const Context& context) const {
  return for_each_message(position, peer_position, [&](int first, int count) {
    return requests.post_receive_bytes(data + offset(first),
                                       static_cast<std::size_t>(count) * block_,
                                       rank_of(peer_position), context);
  });
}

}  // namespace colltree
