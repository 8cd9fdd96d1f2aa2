// SPDX-License-Identifier: BSD-3-Clause
// Random numbers that are the same everywhere for a seed: the standard fixes the sequence of the
// engine, but not the results of its distributions.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace colltree {

// A standard normal number from two uniform ones between 0 and 1 (Box and Muller, 1958).
inline double normal_of(double first, double second) {
  return std::sqrt(-2 * std::log(first)) * std::cos(2 * std::numbers::pi * second);
}

class SeededRandom {
 public:
  explicit SeededRandom(std::uint64_t seed) : engine_(seed) {}

  // 0 ... below - 1, as the upper half of a product, with a bias of below / 2^64.
  std::size_t below(std::size_t below) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::size_t>((static_cast<Wide>(engine_()) * below) >> 64);
  }

  // A number between 0 and 1, never either of them.
  double uniform() {
    constexpr std::size_t kSteps = 1U << 30U;
    return (static_cast<double>(below(kSteps)) + 0.5) / static_cast<double>(kSteps);
  }

  double normal() {
    const double second = uniform();
    return normal_of(uniform(), second);
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
