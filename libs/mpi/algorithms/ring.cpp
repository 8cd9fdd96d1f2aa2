// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/ring.h"

namespace colltree::algorithms {

namespace {

// A buffer that holds a block is sent a step later and may be written again, by a receive posted
// one segment early, two steps after that.
constexpr int kBuffers = 3;
constexpr int kMostSends = 4;

}  // namespace

int RingReduction::open() {
  const std::size_t longest = blocks_.longest();
  const std::size_t wanted = context_.segment_size == 0
                                 ? longest
                                 : std::max<std::size_t>(1, context_.segment_size / r_.layout.size);
  length_ = Segments(longest, wanted).longest();
  segments_ = Segments(longest, wanted).count();
  COLLTREE_TRY(sends_.allocate(kMostSends));
  if (message_ == nullptr) return buffers_.allocate(r_.layout, kBuffers * longest);
  return message_ == r_.own ? buffers_.allocate(r_.layout, 2 * length_) : MPI_SUCCESS;
}

Range RingReduction::part(int block, std::size_t segment) const {
  const std::size_t count = blocks_.count(block);
  const std::size_t first = std::min(segment * length_, count);
  return {first, std::min(length_, count - first)};
}

// The address at which the block of this step rests with this rank's contribution.
void* RingReduction::home(int step) const {
  if (message_ != nullptr) return r_.layout.element(message_, blocks_.begin(block(step)));
  return r_.layout.element(buffers_.data(),
                           static_cast<std::size_t>(step % kBuffers) * blocks_.longest());
}

// The address at which it arrives: beside the home only when this rank's contribution lies there.
void* RingReduction::landing(int step, std::size_t segment) const {
  if (message_ != nullptr && message_ == r_.own) {
    return r_.layout.element(buffers_.data(), turn(step, segment) * length_);
  }
  return r_.layout.element(home(step), part(block(step), segment).first);
}

int RingReduction::post(int step, std::size_t segment) {
  if (segment == segments_) {
    ++step;
    segment = 0;
  }
  if (step == steps()) return MPI_SUCCESS;
  const Range range = part(block(step), segment);
  if (range.count == 0) return MPI_SUCCESS;
  const int from = (r_.rank + r_.size - 1) % r_.size;
  return incoming_[turn(step, segment)].post(landing(step, segment), static_cast<int>(range.count),
                                             r_.layout.type, from, context_);
}

// Sends what came in the step before, or first of all the own contribution to the left neighbour's
// block.
int RingReduction::forward(int step, std::size_t segment) {
  const int right = (r_.rank + 1) % r_.size;
  const int sent = (r_.rank + 2 * r_.size - 1 - step) % r_.size;
  const Range range = part(sent, segment);
  if (range.count == 0) return MPI_SUCCESS;
  const void* base = step == 0 ? r_.layout.element(r_.own, blocks_.begin(sent)) : home(step - 1);
  return sends_.post_segment(r_.layout.element(base, range.first), static_cast<int>(range.count),
                             r_.layout.type, right, segment, context_);
}

int RingReduction::fold(int step, std::size_t segment) {
  const Range range = part(block(step), segment);
  COLLTREE_TRY(incoming_[turn(step, segment)].wait());
  void* rests = r_.layout.element(home(step), range.first);
  if (message_ != nullptr && message_ == r_.own)
    return r_.fold(landing(step, segment), rests, range.count);
  const std::byte* own = r_.layout.element(r_.own, blocks_.begin(block(step)));
  return r_.fold(r_.layout.element(own, range.first), rests, range.count);
}

int RingReduction::run() {
  COLLTREE_TRY(open());
  COLLTREE_TRY(post(0, 0));
  for (int step = 0; step < steps(); ++step) {
    for (std::size_t segment = 0; segment < segments_; ++segment) {
      COLLTREE_TRY(forward(step, segment));
      COLLTREE_TRY(post(step, segment + 1));
      COLLTREE_TRY(fold(step, segment));
    }
    COLLTREE_TRY(sends_.wait_all());
  }
  return MPI_SUCCESS;
}

int RingReduction::reduce_within(void* message) {
  message_ = message;
  return run();
}

int RingReduction::reduce_to(void* result) {
  message_ = nullptr;
  COLLTREE_TRY(run());
  return copy(home(steps() - 1), result, blocks_.count(r_.rank), r_.layout, context_);
}

}  // namespace colltree::algorithms
