// SPDX-License-Identifier: BSD-3-Clause
// The expected time of a method: a formula for nearly each row of the catalogue, written from what
// libs/mpi/algorithms does (docs/reference/algorithms.md), on the longest path of one call that all
// ranks start together and that ends with the last rank, as it is measured. Contention between
// messages of different ranks, copies and packing cost nothing in it. The model and most formulas
// are those of Pjesivac-Grbovic and others, Performance analysis of MPI collective operations
// (2005, 2007).
#pragma once

#include <algorithm>
#include <optional>

#include "coll/method.h"

namespace colltree::parametric {

// The facts of a machine that a cost formula may use: how long a message takes, how soon the next
// one can follow, and what folding costs, by the model LogGP. Times in microseconds, sizes in
// bytes; a size may be a fraction (the mean piece of a message that is cut for each rank).
//
// A message of m bytes takes L + 2 o + (m - 1) G; the next one that its sender or its receiver has
// under way follows max(o, g) + (m - 1) G later (Culler and others, LogP, 1993; Alexandrov and
// others, LogGP, 1995). An empty message counts as one byte.
struct LogGP {
  double latency_us = 0;            // L
  double overhead_us = 0;           // o
  double gap_us = 0;                // g
  double byte_gap_us_per_byte = 0;  // G
};

struct Network {
  LogGP loggp;
  double gamma_us_per_byte = 0;  // to fold one byte into a partial result

  // From the start of a send until the receiver, which waits for it, has the message. Two ranks
  // that exchange messages take as long.
  double message_us(double bytes) const {
    return loggp.latency_us + 2 * loggp.overhead_us + long_us(bytes);
  }
  // How much later the next of several messages of one sender, or to one receiver, is there; as
  // long a blocking send keeps its rank.
  double gap_us(double bytes) const {
    return std::max(loggp.overhead_us, loggp.gap_us) + long_us(bytes);
  }
  double fold_us(double bytes) const { return gamma_us_per_byte * bytes; }

 private:
  double long_us(double bytes) const {
    return std::max(bytes - 1, 0.0) * loggp.byte_gap_us_per_byte;
  }
};

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

}  // namespace colltree::parametric
