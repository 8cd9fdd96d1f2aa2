// SPDX-License-Identifier: BSD-3-Clause
// Tests: tables of times with holes, methods that cannot run and a library's own choice, the same
// for a seed.
#pragma once

#include "base/random.h"
#include "timings/timings.h"

namespace colltree::testing {

struct RandomTable {
  std::vector<std::uint64_t> ranks = {2, 3, 8, 12, 16, 50};
  std::vector<std::uint64_t> bytes = {0, 1, 8, 100, 4096, 65536};
  std::size_t methods = 3;
  double holes = 0;       // share of the points that were not measured
  double cannot_run = 0;  // share of the times that are missing
};

inline Timings random_timings(const RandomTable& table, std::uint64_t seed,
                              Collective collective = Collective::kBcast) {
  SeededRandom random(seed);
  Timings timings{.system = "random", .provenance = "simulated", .collective = collective};
  for (std::size_t m = 0; m < table.methods; ++m)
    timings.methods.push_back({"m" + std::to_string(m), 0});
  for (const std::uint64_t ranks : table.ranks) {
    for (const std::uint64_t bytes : table.bytes) {
      if (random.uniform() < table.holes) continue;
      timings.instances.push_back({collective, ranks, bytes});
      for (std::size_t m = 0; m < table.methods; ++m) {
        const double time = std::exp(6 * random.uniform());
        timings.time_us.push_back(random.uniform() < table.cannot_run ? kNoTime : time);
      }
      timings.default_us.push_back(random.uniform() < 0.2 ? kNoTime
                                                          : std::exp(6 * random.uniform()));
    }
  }
  return timings;
}

}  // namespace colltree::testing
