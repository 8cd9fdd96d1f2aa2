// SPDX-License-Identifier: BSD-3-Clause
// Datatypes seen as memory: sizes, scratch space, packing and local copies.
#pragma once

#include <mpi.h>

#include <cstddef>
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

bool is_predefined(MPI_Datatype type);
bool has_common_size(MPI_Datatype type);  // of most calls: never freed, and its size is known here
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

int describe(MPI_Datatype type, TypeLayout* layout);

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
  int open(void* buffer, int count, MPI_Datatype type, bool source, const Context& context);
  int open(const CollectiveCall& bcast, bool source, const Context& context) {
    return open(bcast.receive, bcast.receive_count, bcast.receive_type, source, context);
  }
  // After the last byte: writes them to the buffer where they are not there already.
  int close(const Context& context) const;

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

}  // namespace colltree::algorithms
