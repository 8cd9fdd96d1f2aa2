// SPDX-License-Identifier: BSD-3-Clause
#include "surrogate/observed.h"

#include <ranges>

#include "surrogate/constants.h"
#include "surrogate/process.h"

namespace colltree::surrogate {

namespace {

double variance_of(const Time& time) {
  const auto interval = time.interval();
  if (!interval || interval->low <= 0) return 0;
  return square(log_deviation(*interval));
}

// Subtracts what all methods have in common at a point: the row effects of an additive fit of
// points and methods. (A mean over the methods would not do, because cells may be missing.)
void remove_levels(Observed& observed) {
  std::vector<double> method(observed.methods, 0);
  for (int round = 0; round < kLevelRounds; ++round) {
    for (std::size_t i = 0; i < observed.points; ++i) {
      double sum = 0;
      double count = 0;
      for (std::size_t m = 0; m < observed.methods; ++m) {
        if (observed.has(i, m)) sum += observed.log_time(i, m) - method[m], ++count;
      }
      if (count == 0) continue;
      for (std::size_t m = 0; m < observed.methods; ++m)
        observed.value[i * observed.methods + m] -= sum / count;
    }
    for (std::size_t m = 0; m < observed.methods; ++m) {
      double sum = 0;
      double count = 0;
      for (std::size_t i = 0; i < observed.points; ++i) {
        if (observed.has(i, m)) sum += observed.log_time(i, m), ++count;
      }
      if (count > 0) method[m] = sum / count;
    }
  }
}

}  // namespace

Observed observe(const Timings& timings, std::span<const Instance> asked) {
  Observed observed;
  observed.methods = timings.methods.size();
  observed.points = timings.instances.size();
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    observed.places.push_back(place_of(timings.instances[i]));
    for (const Method& method : timings.methods) {
      const Time time = timings.time_of(i, method);
      observed.value.push_back(std::log(time.known_us()));
      observed.variance.push_back(variance_of(time));
    }
  }
  observed.middle = middle_of(observed.places);
  for (const Instance& instance : asked) observed.places.push_back(place_of(instance));
  observed.grid = grid_of_placements(observed.places | std::views::transform(&Place::instance));
  for (const Place& place : observed.places)
    observed.cells.push_back(observed.grid.point(place.instance.communicator_size,
                                                 place.instance.message_size,
                                                 place.instance.ranks_per_node));
  remove_levels(observed);
  return observed;
}

}  // namespace colltree::surrogate
