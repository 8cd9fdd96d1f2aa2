// SPDX-License-Identifier: BSD-3-Clause
// The numbers of glibc's random() with its initial seed 1, which release 8 draws when it shuffles
// windows: our own additive feedback generator (degree 31), the same on every system.
#pragma once

#include <array>
#include <cstdint>

namespace colltree::c45 {

class Random {
 public:
  Random();
  // 0 .. 2^31 - 1.
  std::uint32_t next();
  // 0 <= x < 1.
  double fraction() { return static_cast<double>(next()) / 2147483648.0; }

 private:
  static constexpr std::size_t kDegree = 31;
  static constexpr std::size_t kSeparation = 3;
  std::array<std::uint32_t, kDegree> state_{};
  std::size_t position_ = kSeparation;
};

}  // namespace colltree::c45
