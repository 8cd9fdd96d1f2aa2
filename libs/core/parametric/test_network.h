// SPDX-License-Identifier: BSD-3-Clause
// For tests: a network whose answers are all different, and timings made by a network.
#pragma once

#include "coll/catalogue.h"
#include "parametric/formulas.h"
#include "timings/timings.h"

namespace colltree::parametric {

// A message of m bytes takes 100 + m us, the next one comes 7 + m later; folding takes m / 10.
inline constexpr Network kTestNetwork{
    {.latency_us = 85, .overhead_us = 8, .gap_us = 8, .byte_gap_us_per_byte = 1}, 0.1};

// Timings of the methods that run at these sizes, as the network has it.
inline Timings timings_by(const Network& network, Collective collective,
                          const std::vector<Method>& methods,
                          const std::vector<std::uint64_t>& ranks,
                          const std::vector<std::uint64_t>& bytes) {
  Timings timings{
      .system = "grig", .provenance = "simulated", .collective = collective, .methods = methods};
  for (const std::uint64_t p : ranks) {
    for (const std::uint64_t m : bytes) {
      timings.instances.push_back({collective, p, m});
      timings.default_us.push_back(kNoTime);
      for (const Method& method : methods) {
        const bool runs = effective_method(method, timings.instances.back()) == method;
        timings.time_us.push_back(
            runs ? expected_us(network, method, timings.instances.back()).value_or(kNoTime)
                 : kNoTime);
      }
    }
  }
  return timings;
}

}  // namespace colltree::parametric
