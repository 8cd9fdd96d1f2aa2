// SPDX-License-Identifier: BSD-3-Clause
// Delta debugging (Zeller and Hildebrandt, 2002): which of several changes make an effect that all
// of them together have, also where some matter only together.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace colltree::deploy {

// The places of changes, ascending.
using Places = std::vector<std::size_t>;

// A set of changes 0 ... count - 1 that explains the effect, and that no longer does without any of
// its changes, nor does any of its changes alone. Halves are tried first, then smaller parts and
// what is left without them. `explains` is asked once for each set, and not for all changes.
Places smallest_explaining(std::size_t count, const std::function<bool(const Places&)>& explains);

}  // namespace colltree::deploy
