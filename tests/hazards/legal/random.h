// SPDX-License-Identifier: BSD-3-Clause
// Random numbers that are the same everywhere: ranks draw what they must agree on from one stream
// and what is their own business from another.
#pragma once

#include <cstdint>
#include <vector>

namespace legal {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t value = (state_ += 0x9E3779B97F4A7C15);
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
    return value ^ (value >> 31);
  }
  int below(int end) { return static_cast<int>(next() % static_cast<std::uint64_t>(end)); }
  int between(int least, int most) { return least + below(most - least + 1); }
  bool one_in(int n) { return below(n) == 0; }
  template <typename T>
  const T& of(const std::vector<T>& values) {
    return values[static_cast<std::size_t>(below(static_cast<int>(values.size())))];
  }
  Random fork(std::uint64_t tag) { return Random(next() ^ (tag * 0xD1342543DE82EF95 + 1)); }

 private:
  std::uint64_t state_;
};

// Numbers from 0 to n - 1 in random order.
inline std::vector<int> shuffled(Random& random, int n) {
  std::vector<int> order(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
  for (int i = n; i-- > 1;) {
    std::swap(order[static_cast<std::size_t>(i)],
              order[static_cast<std::size_t>(random.below(i + 1))]);
  }
  return order;
}

}  // namespace legal
