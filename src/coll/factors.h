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
  static Factors of(int size, int radix) {
    const Factors factors = splitting(size, radix);
    const Factors most = leaving_out(size, radix);
    const int left_out = most.product_ == size ? 0 : 2;
    return factors.product_ == size && factors.steps_ <= most.steps_ + left_out ? factors : most;
  }

  int steps() const { return steps_; }
  int factor(int step) const { return factors_[step]; }
  int product() const { return product_; }
  // At least 2: a pair.
  int largest() const { return std::max(2, *std::max_element(factors_, factors_ + steps_)); }

 private:
  static Factors splitting(int rest, int radix) {
    Factors found;
    for (int factor = radix; factor > 1; --factor) {
      for (; rest % factor == 0; rest /= factor) found.add(factor);
    }
    return found;
  }
  static Factors leaving_out(int rest, int radix) {
    Factors found;
    for (; rest >= radix; rest /= radix) found.add(radix);
    if (rest > 1) found.add(rest);
    return found;
  }
  void add(int factor) {
    factors_[steps_++] = factor;
    product_ *= factor;
  }

  int factors_[32];
  int steps_ = 0;
  int product_ = 1;
};

}  // namespace colltree
