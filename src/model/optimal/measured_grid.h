// SPDX-License-Identifier: BSD-3-Clause
// The measured instances as the grid that optimal trees divide: its axes, and by cell what was
// measured, how much it counts and what each method takes there. Unlike a decision map it invents
// nothing: a cell that was not measured is a hole, which costs nothing.
#pragma once

#include <span>
#include <vector>

#include "model/optimal/box_axis.h"
#include "timings/call_mix.h"
#include "timings/instance_grid.h"

namespace colltree::optimal {

inline constexpr double kMostTied = 0.02;  // of the best time

struct MeasuredGrid : InstanceGrid {
  std::vector<Collective> collectives;  // ascending
  std::vector<Method> methods;          // of all collectives, each in tie order
  std::vector<double> weight;           // by cell; 0 in holes
  std::vector<double> time_us;          // cells x methods; kNoTime: cannot run, or hole
  // As time_us, with methods that tie with the best one at the best one's time:
  // the intervals overlap and the times differ by at most kMostTied. What intervals alone call
  // equal may still be much slower: of samples with two modes they reach from one mode to the
  // other.
  std::vector<double> tied_us;
  bool proven = false;       // a method has times only where it may stand (timings/kept_methods.h)
  std::vector<bool> exists;  // cells x methods: the cell's collective has the method at all

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
// How many they are, without that test; computed from the axes alone.
double box_count(std::span<const GridAxis> axes);

}  // namespace colltree::optimal
