// SPDX-License-Identifier: BSD-3-Clause
// How a message of so many bytes becomes one MPI call of each collective: what every rank passes,
// and what must be in its memory afterwards. Blocks of the v-collectives are all equal.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "coll/method.h"

namespace colltree {

struct CellShape {
  MPI_Datatype type = MPI_BYTE;
  std::uint64_t type_size = 1;
  int count = 0;  // of one block; of the whole message for reduce_scatter
  bool reduction = false;
  bool sum = false;              // a reduction: MPI_SUM of 32-bit integers, else MPI_BXOR of bytes
  std::uint64_t send_bytes = 0;  // of this rank
  std::uint64_t receive_bytes = 0;  // of this rank
  // Reductions: the result is the combination of these ranks' elements from `result_offset` on.
  std::uint64_t contributors = 0;   // ranks 0 .. contributors - 1
  std::uint64_t result_offset = 0;  // elements
  // reduce_scatter, allgatherv, alltoallv: elements of each rank and where they begin.
  std::vector<int> counts;
  std::vector<int> displacements;
};

// Reductions add 32-bit integers where the message size allows, else combine bytes by exclusive or.
// `integers` false: always bytes.
CellShape cell_shape(const Instance& instance, int rank, bool integers = true);

// What all ranks send and receive together, in bytes.
std::uint64_t payload_bytes(const Instance& instance);

// Whose memory a rank's is: its own, or one that all ranks of the process share. Contents that are
// shared are neither filled in nor checked.
enum class Payload : std::uint8_t { kOwn, kShared };

// Send and receive memory of one cell on one rank, what is put in before the call and what must be
// there after it. Several slots are used in turn, so that a message does not stay in the cache.

class CellBuffers {
 public:
  // `shape`: of the call that will use them. Throws std::bad_alloc. `slots` >= 1.
  CellBuffers(const Instance& instance, int rank, const CellShape& shape, std::size_t slots,
              Payload payload = Payload::kOwn);

  void* send(std::size_t slot) const { return send_.get() + (slot % slots_) * send_stride_; }
  void* receive(std::size_t slot) const {
    return receive_.get() + (slot % slots_) * receive_stride_;
  }

  void fill(std::size_t slot);           // inputs, and wrong content where results go
  bool correct(std::size_t slot) const;  // this rank holds what the collective must deliver

 private:
  bool reduced(const unsigned char* got) const;
  bool moved(const unsigned char* got) const;

  Instance instance_;
  std::uint64_t rank_;
  Payload payload_;
  CellShape shape_;
  std::size_t slots_;
  std::size_t send_stride_;     // bytes from slot to slot, aligned
  std::size_t receive_stride_;  // 0 = nothing is received apart from the send memory
  std::shared_ptr<unsigned char[]> send_;
  std::shared_ptr<unsigned char[]> receive_;
};

}  // namespace colltree
