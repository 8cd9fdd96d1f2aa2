// SPDX-License-Identifier: BSD-3-Clause
// Send and receive memory of one cell on one rank, what is put in before the call and what must be
// there after it. Several slots are used in turn, so that a message does not stay in the cache.
#pragma once

#include <cstdint>
#include <memory>

#include "measure/rank/cell_shape.h"

namespace colltree {

class CellBuffers {
 public:
  // `shape`: of the call that will use them. Throws std::bad_alloc. `slots` >= 1.
  CellBuffers(const Instance& instance, int rank, const CellShape& shape, std::size_t slots);

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
  CellShape shape_;
  std::size_t slots_;
  std::size_t send_stride_;     // bytes from slot to slot, aligned
  std::size_t receive_stride_;  // 0 = nothing is received apart from the send memory
  std::unique_ptr<unsigned char[]> send_;
  std::unique_ptr<unsigned char[]> receive_;
};

}  // namespace colltree
