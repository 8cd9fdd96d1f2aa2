// SPDX-License-Identifier: BSD-3-Clause
// What a cost formula may know of a machine: how long a message takes, how soon the next one can
// follow, and what folding costs, by the model LogGP. Times in microseconds, sizes in bytes; a size
// may be a fraction (the mean piece of a message that is cut for each rank).
#pragma once

#include <algorithm>

namespace colltree {

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

}  // namespace colltree
