// SPDX-License-Identifier: BSD-3-Clause
// Into how many pieces allgather and allgatherv circulant cut a block, for the algorithms and for
// the formulas of what they cost.
#pragma once

#include <algorithm>
#include <cstddef>

namespace colltree {

// With n pieces of the longest block the rounds are n - 1 and one for each of ceil(log2 p) steps.
// At 16 pieces a step, more pieces cannot gain a fifteenth, and each costs all ranks a round: 16 MB
// in segments of 1 KiB would be 16384 rounds. MPI_Allgatherv's longest block may be many times the
// mean, which a decision looks at.
inline constexpr std::size_t kCirculantPiecesAStep = 16;

// The segment that is cut, in bytes; 0: the block is whole. `steps`: ceil(log2 p), at least 1.
constexpr std::size_t circulant_segment(std::size_t longest_block, std::size_t wanted,
                                        std::size_t steps) {
  const std::size_t most = kCirculantPiecesAStep * steps;
  return wanted == 0 ? 0 : std::max(wanted, (longest_block + most - 1) / most);
}

}  // namespace colltree
