// SPDX-License-Identifier: BSD-3-Clause
// The ring's reduction: size-1 steps in which each block travels once around and every rank adds
// its own contribution to what passes by (Patarasuk, Yuan, Bandwidth optimal all-reduce algorithms
// for clusters of workstations, 2009). Commutative operations only.
#pragma once

#include "algorithms/block_space.h"
#include "algorithms/reduction.h"

namespace colltree::algorithms {

class RingReduction {
 public:
  // `blocks`: one for each rank, in elements of the message, which the caller keeps.
  RingReduction(const Reduction& reduction, const Offsets& blocks, const Context& context)
      : r_(reduction), blocks_(blocks), context_(context) {}

  // The reduction of the rank's own block comes to `result`, memory of that block that may lie in
  // the caller's message; every block passes through a buffer.
  int reduce_to(void* result);
  // The same within `message`, memory of the whole message: there the rank's own block is the
  // result and the others hold no matter what. In place it may be the rank's own contribution.
  int reduce_within(void* message);

 private:
  // Steps 0 .. size-2. In step k this block arrives; in step k+1 it is sent on.
  int block(int step) const { return (r_.rank + 2 * r_.size - 2 - step) % r_.size; }
  int steps() const { return r_.size - 1; }
  // Which of two buffers and receives a segment takes.
  std::size_t turn(int step, std::size_t segment) const {
    return (static_cast<std::size_t>(step) * segments_ + segment) % 2;
  }
  int open();
  int run();
  void* home(int step) const;
  void* landing(int step, std::size_t segment) const;
  Range part(int block, std::size_t segment) const;
  int post(int step, std::size_t segment);
  int forward(int step, std::size_t segment);
  int fold(int step, std::size_t segment);

  const Reduction& r_;
  const Offsets& blocks_;
  const Context& context_;
  void* message_ = nullptr;  // null: blocks rest in buffers_
  std::size_t length_ = 0;   // elements of a segment
  std::size_t segments_ = 0;
  Scratch buffers_;
  Receive incoming_[2];  // after the memory they write to: destroyed before it
  Window sends_;
};

}  // namespace colltree::algorithms
