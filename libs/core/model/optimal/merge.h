// SPDX-License-Identifier: BSD-3-Clause
// The innermost step of the dynamic programme: two frontiers side by side make a frontier.
#pragma once

#include <span>

#include "model/optimal/cost_cube.h"

namespace colltree::optimal {

class Merger {
 public:
  // The room, in doubles, that `out` must have behind its last value.
  static constexpr std::size_t kSlack = 8;
  // The infinities that each side must have before its first value and behind its last, so that
  // blocks may overhang.
  static constexpr std::size_t kPad = 8;

  explicit Merger(Combine how);

  // a[i] and b[i] are the least costs of the two sides with i + 1 leaves. For all i + j + 1 < most:
  //   out[i + j + 1] = min(out[i + j + 1], a[i] (+) b[j])
  // Afterwards the values from out[most] on mean nothing.
  // Cost: p x q operations, four or eight at a time.
  void merge(std::span<const double> a, std::span<const double> b, double* out,
             std::size_t most) const;

 private:
  using Kernel = void (*)(const double* a, std::size_t p, const double* b, std::size_t q,
                          double* out, std::size_t count);
  Kernel kernel_;
};

}  // namespace colltree::optimal
