// SPDX-License-Identifier: BSD-3-Clause
// Send and receive memory of one cell on one rank, what is put in before the call and what must be
// there after it. Several slots are used in turn, so that a message does not stay in the cache.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "coll/method.h"

namespace colltree {

// How a message of so many bytes is expressed in MPI: bcast and alltoall as bytes; reduce as 32-bit
// integers added where the size allows, else as bytes combined by exclusive or.
struct CellType {
  MPI_Datatype type = MPI_BYTE;
  int count = 0;
  std::uint64_t type_size = 1;
  bool sum = false;  // reduce: MPI_SUM, else MPI_BXOR
};

CellType cell_type(const Instance& instance);

class CellBuffers {
 public:
  // Throws std::bad_alloc. `slots` >= 1.
  CellBuffers(const Instance& instance, int rank, std::size_t slots);

  void* send(std::size_t slot) const { return send_.get() + (slot % slots_) * send_bytes_; }
  void* receive(std::size_t slot) const {
    return receive_.get() + (slot % slots_) * receive_bytes_;
  }

  void fill(std::size_t slot);           // inputs, and wrong content where results go
  bool correct(std::size_t slot) const;  // this rank holds what the collective must deliver

 private:
  Instance instance_;
  std::uint64_t rank_;
  std::size_t slots_;
  std::size_t send_bytes_;     // of one slot, aligned
  std::size_t receive_bytes_;  // of one slot, aligned
  std::unique_ptr<unsigned char[]> send_;
  std::unique_ptr<unsigned char[]> receive_;
};

}  // namespace colltree
