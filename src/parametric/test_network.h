// SPDX-License-Identifier: BSD-3-Clause
// For tests: a network whose five answers are told apart, and timings made by a model.
#pragma once

#include "coll/catalogue.h"
#include "parametric/cost_model.h"
#include "parametric/formulas.h"

namespace colltree {

// A message of m bytes takes 100 + m us, the next one comes 7 + m later, the next to arrive 9 + m;
// a blocking send takes 20 + m; folding m / 10.
class TestNetwork : public Network {
 public:
  double message_us(double bytes) const override { return 100 + bytes; }
  double gap_us(double bytes) const override { return 7 + bytes; }
  double arrival_gap_us(double bytes) const override { return 9 + bytes; }
  double send_us(double bytes) const override { return 20 + bytes; }
  double fold_us(double bytes) const override { return bytes / 10; }
};

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

}  // namespace colltree
