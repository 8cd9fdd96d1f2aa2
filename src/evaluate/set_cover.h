// SPDX-License-Identifier: BSD-3-Clause
// The fewest sets that hold all elements, with what proves that fewer do not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace colltree {

struct Cover {
  std::vector<std::size_t> sets;  // ascending
  std::size_t at_least = 0;       // fewer than so many hold not all: proven
};

// `holders`: for each element the numbers of the sets that hold it, at least one. Ties go to the
// sets with small numbers. Exact by branch and bound over what is left when elements that follow
// from others, and sets that others hold, have been taken out; the bound is a family of elements
// no two of which are in one set. After `most_nodes` nodes the best cover so far, and the bound at
// the root. Memory: elements x sets bits.
Cover least_cover(const std::vector<std::vector<std::size_t>>& holders, std::size_t sets,
                  std::uint64_t most_nodes = 1'000'000);

}  // namespace colltree
