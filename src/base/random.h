// SPDX-License-Identifier: BSD-3-Clause
// Random numbers that are the same everywhere for a seed: the standard fixes the engine's sequence
// but not what its distributions make of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace colltree {

class SeededRandom {
 public:
  explicit SeededRandom(std::uint64_t seed) : engine_(seed) {}

  // 0 ... below - 1. The upper half of a product: the bias is below / 2^64.
  std::size_t below(std::size_t below) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::size_t>((static_cast<Wide>(engine_()) * below) >> 64);
  }

  template <typename Value>
  void shuffle(std::vector<Value>& values) {
    for (std::size_t left = values.size(); left > 1; --left) {
      std::swap(values[left - 1], values[below(left)]);
    }
  }

  // 0 ... count - 1 in random order.
  std::vector<std::size_t> permutation(std::size_t count) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    shuffle(order);
    return order;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace colltree
