// SPDX-License-Identifier: BSD-3-Clause
// The exchanges of recursive multiplying (Ruefenacht, Bull, Booth, Generalisation of recursive
// doubling for AllReduce, 2017), for the algorithms and for the formulas of what they cost.
#pragma once

#include <algorithm>

namespace colltree {

// How many members take part in each exchange, and in all. Where the ranks are a product of numbers
// up to the radix all take part, unless that takes more steps than leaving some out: then the
// members are the most that a digit times a power of the radix can be, at least half of the ranks.
class Factors {
 public:
  Factors() = default;  // none
  Factors(int size, int radix) {
    Factors all_ranks;
    int rest = size;
    for (int factor = radix; factor > 1; --factor) {
      for (; rest % factor == 0; rest /= factor) all_ranks.add(factor);
    }
    for (rest = size; rest >= radix; rest /= radix) add(radix);
    if (rest > 1) add(rest);
    const int left_out = product_ == size ? 0 : 2;
    if (all_ranks.product_ == size && all_ranks.steps_ <= steps_ + left_out) *this = all_ranks;
  }

  int steps() const { return steps_; }
  int factor(int step) const { return factors_[step]; }
  int product() const { return product_; }
  // At least 2: a pair.
  int largest() const { return std::max(2, *std::max_element(factors_, factors_ + steps_)); }

 private:
  void add(int factor) {
    factors_[steps_++] = factor;
    product_ *= factor;
  }

  int factors_[32];
  int steps_ = 0;
  int product_ = 1;
};

}  // namespace colltree
