// SPDX-License-Identifier: BSD-3-Clause
// The algorithms of MPICH's nonblocking collectives that its blocking algorithm "nb" can run, with
// the control variables of their parameters: mpich_nonblocking.def. They are measured, not emitted:
// a selection file would change the program's own nonblocking collectives with them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coll/library_algorithms.h"

namespace colltree {

struct NonblockingAlgorithm {
  LibraryAlgorithm algorithm;
  // Control variables after "MPIR_CVAR_", blank between two.
  std::string_view segment;
  std::string_view radix;
  std::string_view requests;
  std::string_view start;  // NAME=VALUE that only counts when a job starts, after "MPIR_CVAR_"
};

std::span<const NonblockingAlgorithm> mpich_nonblocking();

// What the nonblocking collective's own control variable calls it: "tsp_tree" of
// nb_tsp_tree_knomial_1.
std::string_view variable_name(const NonblockingAlgorithm& one);

// By our name; what follows an '@' is ignored. nullptr: there is none.
const NonblockingAlgorithm* find_nonblocking(Collective collective, std::string_view algorithm);

// The smallest radix that it survives: a k-ary tree may be a chain, everything else hangs or
// aborts.
std::uint64_t least_radix(const NonblockingAlgorithm& one);

}  // namespace colltree
