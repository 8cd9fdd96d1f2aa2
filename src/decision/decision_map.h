// SPDX-License-Identifier: BSD-3-Clause
// The best method at each point of a complete (communicator size x message size) grid: what the
// quadtree encodes (2007, section 3) and what maps show (2006, figure 2).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "profile/timings.h"

namespace colltree {

enum class CellOrigin : std::uint8_t {
  kMeasured,      // the instance was measured
  kInterpolated,  // the whole instance is missing: every method's time is interpolated in log space
};

struct DecisionMap {
  Collective collective = Collective::kBcast;
  std::vector<Method> methods;                    // as Timings::methods
  std::vector<std::uint64_t> communicator_sizes;  // ascending: the rows
  std::vector<std::uint64_t> message_sizes;       // ascending: the columns
  std::vector<std::uint16_t> best;                // rows x columns: index into methods
  std::vector<CellOrigin> origin;                 // rows x columns
  std::vector<double> time_us;  // rows x columns x methods: what it costs to ask for the method
                                // there (Timings::time_of); kNoTime = cannot run

  std::size_t rows() const { return communicator_sizes.size(); }
  std::size_t columns() const { return message_sizes.size(); }
  std::size_t cell(std::size_t row, std::size_t column) const { return row * columns() + column; }
};

struct DecisionMapOptions {
  // Times within this relative distance of the best count as ties; among ties the first method in
  // catalogue order wins (the simplest algorithm, unsegmented before segmented).
  double tie_tolerance = 1e-9;
};

// The first method within the tolerance of the least time; none when no method has a time.
std::optional<std::size_t> best_method(std::span<const double> times_us, double tie_tolerance);

// Points that were not measured are completed as grid.h says.
// Throws Error when there is no instance, when no method was measured at an instance, or when one
// (communicator size, message size) was measured with several placements (nodes, ranks per node).
DecisionMap make_decision_map(const Timings& timings, const DecisionMapOptions& options = {});

}  // namespace colltree
