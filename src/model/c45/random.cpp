// SPDX-License-Identifier: BSD-3-Clause
#include "model/c45/random.h"

namespace colltree::c45 {

Random::Random() {
  // A Lehmer generator fills the state; ten rounds of feedback mix it.
  std::uint64_t value = 1;
  for (std::uint32_t& word : state_) {
    word = static_cast<std::uint32_t>(value);
    value = value * 16807 % 2147483647;
  }
  for (std::size_t i = 0; i < 10 * kDegree; ++i) next();
}

std::uint32_t Random::next() {
  // state_[position_] is the word of 31 steps ago.
  const std::uint32_t recent = state_[(position_ + kDegree - kSeparation) % kDegree];
  std::uint32_t& word = state_[position_];
  word += recent;
  position_ = (position_ + 1) % kDegree;
  return word >> 1;
}

}  // namespace colltree::c45
