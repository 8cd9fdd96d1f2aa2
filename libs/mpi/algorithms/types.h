// SPDX-License-Identifier: BSD-3-Clause
// Datatypes seen as memory: sizes, scratch space, packing and local copies.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "algorithms/algorithms.h"

// Passes an MPI error on to the caller.
#define COLLTREE_TRY(call)                                                  \
  do {                                                                      \
    if (const int try_rc_ = (call); try_rc_ != MPI_SUCCESS) return try_rc_; \
  } while (false)

namespace colltree::algorithms {

// Work goes on after an error; the error that was seen first is reported.
inline int first_error(int earlier, int later) { return earlier != MPI_SUCCESS ? earlier : later; }

// The size of the types of most calls, which are never freed and whose layout need not be asked
// for; 0: another one.
inline std::size_t common_size(MPI_Datatype type) {
  if (type == MPI_BYTE || type == MPI_CHAR) return 1;
  if (type == MPI_INT || type == MPI_INT32_T) return sizeof(std::int32_t);
  if (type == MPI_FLOAT) return sizeof(float);
  if (type == MPI_DOUBLE) return sizeof(double);
  if (type == MPI_INT64_T || type == MPI_UINT64_T) return sizeof(std::int64_t);
  return 0;
}
// Likewise the operations, all of which commute.
inline bool is_common(MPI_Op op) {
  return op == MPI_SUM || op == MPI_MAX || op == MPI_MIN || op == MPI_PROD;
}
bool is_predefined(MPI_Datatype type);
int ask_commutative(MPI_Op op, bool* commutative);
int message_bytes(int count, MPI_Datatype type, std::size_t* bytes);

inline std::byte* at(void* base, MPI_Aint offset) { return static_cast<std::byte*>(base) + offset; }
inline const std::byte* at(const void* base, MPI_Aint offset) {
  return static_cast<const std::byte*>(base) + offset;
}

struct TypeLayout {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::size_t size = 0;  // bytes of data in one element
  MPI_Aint extent = 0;
  MPI_Aint true_lb = 0;
  MPI_Aint true_extent = 0;
  bool plain = false;  // in memory as when packed: a named type without holes, or several of it

  std::byte* element(void* base, std::size_t i) const {
    return at(base, static_cast<MPI_Aint>(i) * extent);
  }
  const std::byte* element(const void* base, std::size_t i) const {
    return at(base, static_cast<MPI_Aint>(i) * extent);
  }
};

int ask_layout(MPI_Datatype type, TypeLayout* layout);
inline int describe(MPI_Datatype type, TypeLayout* layout) {
  const std::size_t size = common_size(type);
  if (size == 0) return ask_layout(type, layout);
  const auto extent = static_cast<MPI_Aint>(size);
  *layout = {type, size, extent, 0, extent, true};
  return MPI_SUCCESS;
}

// Uninitialised memory, freed with the object.
class Scratch {
 public:
  int allocate(std::size_t bytes);
  // For `count` elements; data() is then where element 0 has its origin, aligned as a user's buffer
  // is.
  int allocate(const TypeLayout& layout, std::size_t count);
  std::byte* data() const { return data_; }

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::byte* data_ = nullptr;
};

// Local copies; each is charged to the context. Counts are std::size_t, beyond what MPI_Pack takes.
int pack(const void* from, std::size_t count, const TypeLayout& layout, std::byte* to,
         const Context& context);
int unpack(const std::byte* from, void* to, std::size_t count, const TypeLayout& layout,
           const Context& context);
void copy_bytes(const std::byte* from, std::byte* to, std::size_t bytes, const Context& context);
int copy(const void* from, void* to, std::size_t count, const TypeLayout& layout,
         const Context& context);
// Equal signatures, different layouts.
int convert(const void* from, std::size_t from_count, const TypeLayout& from_layout, void* to,
            std::size_t to_count, const TypeLayout& to_layout, const Context& context);

// A message, or a rank's block, as the bytes that travel. Ranks may describe it by different counts
// and types, so it may only be cut where all agree: in its packed bytes.
class ByteMessage {
 public:
  // At the source the bytes are there at once; elsewhere they are received into data().
  int open(void* buffer, int count, MPI_Datatype type, bool source, const Context& context) {
    COLLTREE_TRY(describe(type, &layout_));
    buffer_ = buffer;
    count_ = static_cast<std::size_t>(count);
    bytes_ = count_ * layout_.size;
    source_ = source;
    data_ = static_cast<std::byte*>(buffer_);
    return layout_.plain ? MPI_SUCCESS : open_packed(context);
  }
  int open(const CollectiveCall& bcast, bool source, const Context& context) {
    return open(bcast.receive, bcast.receive_count, bcast.receive_type, source, context);
  }
  // After the last byte: writes them to the buffer where they are not there already.
  int close(const Context& context) const {
    if (layout_.plain || source_) return MPI_SUCCESS;
    return unpack(data_, buffer_, count_, layout_, context);
  }

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  int open_packed(const Context& context);

  TypeLayout layout_;
  Scratch packed_;
  void* buffer_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
  bool source_ = false;
};

}  // namespace colltree::algorithms
