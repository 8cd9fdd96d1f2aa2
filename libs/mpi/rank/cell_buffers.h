// SPDX-License-Identifier: BSD-3-Clause
// How a message of a given size becomes one MPI call of each collective: what every rank passes,
// and what must be in its memory afterwards. Blocks of the v-collectives are all equal.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "algorithms/call_layout.h"
#include "coll/method.h"

namespace colltree::rank {

struct CellShape {
  algorithms::CallLayout layout;  // root 0
  std::uint64_t type_size = 1;
  int count = 0;     // of one block; of the whole message for reduce_scatter
  bool sum = false;  // of reductions: MPI_SUM of 32-bit integers, else MPI_BXOR of bytes
};

// Reductions add 32-bit integers where the message size allows, else combine bytes by exclusive or.
// `integers` false: always bytes.
CellShape cell_shape(const Instance& instance, int rank, bool integers = true);

// The bytes that all ranks send and receive together; of parts that differ by one element each
// counts as the second rank's.
std::uint64_t payload_bytes(const Instance& instance);

// The memory of a rank is private, or all ranks of the process share it. Contents that are shared
// are neither filled in nor checked.
enum class Payload : std::uint8_t { kOwn, kShared };

// Send and receive memory of one cell on one rank, what is put in before the call and what must be
// there after it. Several slots are used in turn, so that a message does not stay in the cache.
class CellBuffers {
 public:
  // `shape`: of the call that will use them. Throws std::bad_alloc. `slots` >= 1.
  CellBuffers(const CellShape& shape, std::size_t slots, Payload payload = Payload::kOwn);

  void* send(std::size_t slot) const { return send_.get() + (slot % slots_) * send_stride_; }
  void* receive(std::size_t slot) const {
    return receive_.get() + (slot % slots_) * receive_stride_;
  }

  void fill(std::size_t slot);           // inputs, and wrong content where results go
  bool correct(std::size_t slot) const;  // this rank holds what the collective must deliver

 private:
  void put(void* memory, const algorithms::Block& block) const;
  bool holds(const void* memory, const algorithms::Block& block) const;

  Payload payload_;
  CellShape shape_;
  algorithms::CallContents contents_;
  std::size_t slots_;
  std::size_t send_stride_ = 0;     // bytes from slot to slot, aligned
  std::size_t receive_stride_ = 0;  // 0 = nothing is received
  std::shared_ptr<unsigned char[]> send_;
  std::shared_ptr<unsigned char[]> receive_;
};

}  // namespace colltree::rank
