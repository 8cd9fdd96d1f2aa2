// SPDX-License-Identifier: BSD-3-Clause
#include "timings/decision_map.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "timings/interpolation.h"

namespace colltree {

namespace {

void fill_measured(DecisionMap& map, std::size_t cell, const Timings& timings,
                   std::size_t instance) {
  map.origin[cell] = CellOrigin::kMeasured;
  for (std::size_t m = 0; m < map.methods.size(); ++m) {
    map.time_us[cell * map.methods.size() + m] =
        timings.time_of(instance, map.methods[m]).known_us();
  }
}

void fill_hole(DecisionMap& map, std::size_t cell, const Timings& timings,
               const InstanceGrid& grid) {
  map.origin[cell] = CellOrigin::kInterpolated;
  const std::vector<double> times = interpolated_times(grid, timings, cell);
  std::ranges::copy(times,
                    map.time_us.begin() + static_cast<std::ptrdiff_t>(cell * map.methods.size()));
}

}  // namespace

DecisionMap make_decision_map(const Timings& timings) {
  const InstanceGrid grid = make_map_grid(timings);
  DecisionMap map;
  map.collective = timings.collective;
  map.methods = timings.methods;
  map.communicator_sizes = grid.communicator_sizes();
  map.message_sizes = grid.message_sizes();
  const std::size_t cells = map.rows() * map.columns();
  const std::size_t methods = map.methods.size();
  map.best.resize(cells);
  map.origin.resize(cells);
  map.time_us.resize(cells * methods);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    if (const auto instance = grid.instance[cell]) {
      fill_measured(map, cell, timings, *instance);
    } else {
      fill_hole(map, cell, timings, grid);
    }
    const auto best = best_method(std::span(map.time_us).subspan(cell * methods, methods));
    if (!best) {
      throw Error(fmt::format("{}: no method was measured on {} ranks with {} B",
                              name(map.collective), map.communicator_sizes[cell / map.columns()],
                              map.message_sizes[cell % map.columns()]));
    }
    map.best[cell] = static_cast<std::uint16_t>(*best);
    if (grid.instance[cell] && timings.at(*grid.instance[cell], *best).is_predicted())
      map.origin[cell] = CellOrigin::kPredicted;
  }
  return map;
}

}  // namespace colltree
