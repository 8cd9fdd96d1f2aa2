// SPDX-License-Identifier: BSD-3-Clause
// The best method at each point of a complete (communicator size x message size) grid: the map that
// the quadtree encodes (2007, section 3) and that `show map` prints (2006, figure 2).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "timings/instance_grid.h"
#include "timings/timings.h"

namespace colltree {

class Json;

enum class CellOrigin : std::uint8_t {
  kMeasured,      // the instance was measured
  kInterpolated,  // the whole instance is missing: every method's time is interpolated in log space
  kPredicted,     // the time of the best was predicted: a campaign wanted and did not measure it
};

// A map grid (make_map_grid) with what was decided in each cell.
struct DecisionMap : InstanceGrid {
  Collective collective = Collective::kBcast;
  std::vector<Method> methods;      // as Timings::methods
  std::vector<std::uint16_t> best;  // by cell: index into methods
  std::vector<CellOrigin> origin;   // by cell
  std::vector<double> time_us;      // cells x methods: what it costs to ask for the method there
                                    // (Timings::time_of); kNoTime = cannot run

  std::size_t columns() const { return message_sizes().size(); }
  std::size_t cell(std::size_t row, std::size_t column) const { return row * columns() + column; }
};

// Fills points that were not measured as interpolation.h says.
// Throws Error when there is no instance, when no method was measured at an instance, or when one
// (communicator size, message size) was measured with several placements (nodes, ranks per node).
DecisionMap make_decision_map(const Timings& timings);

// A map for people (text) and programs (JSON, CSV): docs/reference/formats/map.md.

struct MethodShare {
  std::size_t method;  // index into DecisionMap::methods
  std::size_t cells;   // where it is the best, interpolated cells included
};

// The methods that are best somewhere, most cells first.
std::vector<MethodShare> method_shares(const DecisionMap& map);

// The letter of a method in a map, by its place in the legend; '#' beyond the 62 letters.
char map_letter(std::size_t rank);
// Message sizes written downwards above columns of `width` characters, after `indent` blanks; as
// many lines as the longest has characters.
std::string column_titles(const std::vector<std::uint64_t>& message_sizes, std::size_t indent,
                          std::size_t width);

Json map_json(const DecisionMap& map);

// collective,communicator_size,message_size,method,algorithm,segment_size,origin,time_us
std::string map_csv(const DecisionMap& map);

}  // namespace colltree
