// SPDX-License-Identifier: BSD-3-Clause
// Derives the times of single messages from a few collective calls. All ranks of a call start
// together and its time ends with the last message, so that a linear bcast on p ranks is one
// message and p - 2 that follow it: its time over p is a line whose value at p = 2 is a message's
// time and whose slope is the gap. No measuring program of its own is needed.
#pragma once

#include <span>
#include <vector>

#include "timings/timings.h"

namespace colltree::parametric {

// `message` and `gap` have the same sizes.
struct PointToPoint {
  struct Point {
    double bytes;
    double us;
  };
  using Table = std::vector<Point>;  // by message size, ascending
  Table message;                     // one message, from a linear bcast, else a linear scatter
  Table gap;                         // to the next one, from the same
  Table send;  // a blocking send; from a binary bcast on 3, 5 or 6 ranks. May be empty
  Table fold;  // of a message into a partial result, from a linear reduce. May be empty
};

// From the collectives bcast, scatter and reduce among these, whatever else is there. Lines
// over p by medians: the slope is that of all pairs of communicator sizes (Theil, Sen), the value
// at p = 2 is measured there or follows from the smallest p. Tables are empty where nothing tells.
PointToPoint observe_point_to_point(std::span<const Timings> timings);

// The collectives that it looks at.
std::span<const Collective> point_to_point_collectives();

}  // namespace colltree::parametric
