// SPDX-License-Identifier: BSD-3-Clause
// The measured instances as the grid that optimal trees divide: its axes, and by cell what was
// measured, how much it counts and what each method takes there. Unlike a decision map it invents
// nothing: a cell that was not measured is a hole, which costs nothing.
#pragma once

#include <span>
#include <vector>

#include "model/call_mix.h"
#include "model/optimal/box_axis.h"
#include "model/quadtree/grid_axis.h"
#include "profile/timings.h"

namespace colltree::optimal {

inline constexpr double kMostTied = 0.02;  // of the best time

struct MeasuredGrid {
  std::vector<Collective> collectives;  // ascending
  std::vector<Method> methods;          // of all collectives, each in tie order
  // Communicator size, message size; nodes and ranks per node when some point was measured with
  // several of them; the collective, last, when there are several.
  std::vector<GridAxis> axes;
  std::vector<bool> measured;   // by cell, the last axis varying fastest
  std::vector<double> weight;   // by cell; 0 in holes
  std::vector<double> time_us;  // cells x methods; kNoTime: cannot run, or hole
  // As time_us, with methods that cannot be told apart from the best one at the best one's time:
  // the intervals overlap and the times differ by at most kMostTied. What intervals alone call
  // equal may still be much slower: of samples with two modes they reach from one mode to the
  // other.
  std::vector<double> tied_us;
  std::vector<bool> exists;  // cells x methods: the cell's collective has the method at all

  std::size_t cells() const { return measured.size(); }
  std::size_t measured_cells() const;
  double total_weight() const;
  std::size_t at(std::size_t cell, std::size_t method) const {
    return cell * methods.size() + method;
  }
};

// Throws Error: no instance, a placement that is known at some points only.
MeasuredGrid make_measured_grid(std::span<const Timings> timings);

// Weights by the calls of an application, each at the point that decides for it; calls that say no
// placement are spread over all. Throws Error when no call falls on a measured point.
void weigh(MeasuredGrid& grid, std::span<const CallCount> mix);

// The boxes of its trees. With `power_of_two` they may test the communicator size for that.
BoxSpace box_space(const MeasuredGrid& grid, bool power_of_two);

}  // namespace colltree::optimal
