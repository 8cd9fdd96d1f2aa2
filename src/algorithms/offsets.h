// SPDX-License-Identifier: BSD-3-Clause
// Where the blocks of the ranks lie in a message: one after the other.
#pragma once

#include <cstddef>
#include <memory>

namespace colltree {

// Elements or bytes first .. first + count - 1 of a message.
struct Range {
  std::size_t first = 0;
  std::size_t count = 0;
};

class Offsets {
 public:
  Offsets() = default;
  Offsets(const Offsets&) = delete;
  Offsets& operator=(const Offsets&) = delete;

  // Each returns an MPI error code: the table takes memory.
  int set_equal(int blocks, std::size_t each);
  int set_parts(int blocks, std::size_t total);                     // as equal as can be
  int set_counts(int blocks, const int* counts, std::size_t unit);  // counts times `unit`

  template <typename LengthOf>
  int set_lengths(int blocks, LengthOf length_of) {  // std::size_t length_of(block)
    if (const int error = allocate(blocks); error != 0) return error;
    for (int i = 0; i < blocks; ++i) begin_[i + 1] = begin_[i] + length_of(i);
    return 0;
  }

  int blocks() const { return blocks_; }
  std::size_t begin(int block) const { return begin_[block]; }
  std::size_t total() const { return begin_[blocks_]; }
  std::size_t count(int block) const { return begin_[block + 1] - begin_[block]; }
  std::size_t longest() const;
  Range range(int block) const { return {begin_[block], count(block)}; }
  Range range(int first, int end) const { return {begin_[first], begin_[end] - begin_[first]}; }

 private:
  static constexpr int kFew = 16;
  int allocate(int blocks);

  std::size_t few_[kFew + 1];  // of few ranks, whose messages take little longer than an allocation
  std::unique_ptr<std::size_t[]> many_;
  std::size_t* begin_ = few_;
  int blocks_ = 0;
};

}  // namespace colltree
