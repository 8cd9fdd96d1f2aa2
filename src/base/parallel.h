// SPDX-License-Identifier: BSD-3-Clause
// Independent pieces of work on several cores.
#pragma once

#include <cstddef>
#include <functional>

namespace colltree {

// Calls work(0) to work(count - 1), each once, in any order, at most `most` at a time and no more
// than there are cores. What a piece throws is thrown when all are done, of several the one of the
// lowest number. A piece that has work of this kind itself does it alone: the cores are busy.
void in_parallel(std::size_t count, std::size_t most, const std::function<void(std::size_t)>& work);

}  // namespace colltree
