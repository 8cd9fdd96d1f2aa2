// SPDX-License-Identifier: BSD-3-Clause
// The expected time of a method: a formula for nearly each row of the catalogue, written from what
// src/algorithms does (docs/algorithms.md), on the longest path of one call that all ranks start
// together and that ends with the last rank, as it is measured. Contention between messages of
// different ranks, copies and packing cost nothing in it. The model and most formulas are those of
// Pjesivac-Grbovic and others, Performance analysis of MPI collective operations (2005, 2007).
#pragma once

#include <optional>

#include "coll/method.h"
#include "parametric/network.h"

namespace colltree {

// The method of the catalogue whose formula holds for this one. A library's algorithm of a name of
// ours has the same tree, ring or distances and the same segments, which is all that a formula
// sees; without a segment size it is taken as unsegmented. None: there is no formula, as for the
// library's own choice.
std::optional<Method> method_of_formula(Collective collective, const Method& method);
inline bool has_formula(Collective collective, const Method& method) {
  return method_of_formula(collective, method).has_value();
}

// Microseconds; 0 for one rank; none without a formula. A method that cannot run at the instance
// costs what runs in its place (effective_method). Cost: O(log^2 ranks), about a
// microsecond.
std::optional<double> expected_us(const Network& network, const Method& method,
                                  const Instance& instance);

}  // namespace colltree
