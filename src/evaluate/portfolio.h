// SPDX-License-Identifier: BSD-3-Clause
// The smallest set of methods of a collective worth measuring on a similar machine: at every
// measured instance one of them is hardly slower than the best of all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "timings/penalty.h"

namespace colltree::evaluate {

// The fewest sets that hold all elements, with what proves that fewer do not.
struct Cover {
  std::vector<std::size_t> sets;  // ascending
  std::size_t at_least = 0;       // proven: no smaller number of sets covers everything
};

// `holders`: for each element the numbers of the sets that hold it, at least one. Ties go to the
// sets with small numbers. Exact by branch and bound over what is left when elements that follow
// from others, and sets that others hold, have been taken out; the bound is a family of elements
// no two of which are in one set. After `most_nodes` nodes the best cover so far, and the bound at
// the root. Memory: elements x sets bits.
Cover least_cover(const std::vector<std::vector<std::size_t>>& holders, std::size_t sets,
                  std::uint64_t most_nodes = 1'000'000);

// What a method of a portfolio is there for.
struct PortfolioMember {
  Method method;
  std::size_t best_at = 0;    // instances where it is the fastest of the portfolio
  std::size_t needed_at = 0;  // where no other of the portfolio is within the tolerance
};

struct Portfolio {
  std::vector<PortfolioMember> members;  // in tie order
  std::size_t at_least = 0;              // methods that any such portfolio has: proven
  std::size_t of_methods = 0;            // that have a time anywhere
  std::size_t cells = 0, all_cells = 0;  // times measured: of its methods, of all
  double time_share = 0;                 // of one call of each cell

  std::vector<Method> methods() const;
};

// `within`: a fraction of the least time. The library's own choice is a method like others where it
// is one (load_timings.h). Instances without a time have no say. Exact but for very hard cases
// (least_cover).
Portfolio find_portfolio(const Timings& timings, double within);

// What is lost where only these can be chosen, the fastest of them at each instance.
PenaltyPoints penalty_of_choosing_among(const Timings& timings, const std::vector<Method>& methods);

}  // namespace colltree::evaluate
