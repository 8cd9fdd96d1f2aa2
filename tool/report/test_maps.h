// SPDX-License-Identifier: BSD-3-Clause
// What tests of maps share.
#pragma once

#include <vector>

#include "timings/timings.h"

namespace colltree::testing {

// Timings for tests of maps: two communicator sizes, three message sizes, one point missing.
inline Timings tiny_timings() {
  Timings timings{.system = "tiny",
                  .provenance = "measured",
                  .collective = Collective::kBcast,
                  .methods = {{"linear", 0}, {"binomial", 0}, {"binomial", 1024}},
                  .instances = {},
                  .time_us = {},
                  .default_us = {}};
  const auto add = [&](std::uint64_t ranks, std::uint64_t bytes, std::vector<double> times,
                       double by_default) {
    timings.instances.push_back({Collective::kBcast, ranks, bytes});
    for (const double time : times)
      timings.time_us.push_back(Time::measured(time, {time * 0.9, time * 1.2}));
    timings.default_us.push_back(by_default);
  };
  add(2, 1, {10, 12, kNoTime}, 10);
  add(2, 64, {20, 22, kNoTime}, 21.5);
  add(2, 4096, {90, 70, 60}, 90);
  add(4, 1, {20, 15, kNoTime}, 20);
  add(4, 4096, {200, 120, 100}, 200);
  return timings;
}

}  // namespace colltree::testing
