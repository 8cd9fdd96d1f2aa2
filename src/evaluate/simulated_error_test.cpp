// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/simulated_error.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coll/catalogue.h"

namespace colltree {
namespace {

Timings times(std::uint64_t nodes, const std::vector<std::vector<double>>& rows) {
  Timings timings;
  timings.methods = {{"linear", 0}, {"binomial", 0}, library_default()};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    timings.instances.push_back({Collective::kBcast, 4, i + 1, nodes, nodes == 0 ? 0 : 4 / nodes});
    timings.default_us.push_back(kNoTime);
    for (const double time : rows[i]) timings.time_us.push_back(time);
  }
  return timings;
}

TEST(SimulatedError, IsOfTheSameCellsWhereverTheyLie) {
  const Timings measured = times(1, {{10, 20, 1}, {10, kNoTime, 1}, {10, 10, 1}});
  const Timings simulated = times(4, {{11, 10, 5}, {10, 10, 5}});
  const auto any = [](const Method&) { return true; };
  const SimulatedError all = simulated_error(measured, simulated, any);
  EXPECT_EQ(all.cells, 3U) << "the default and what one has not are left out";
  EXPECT_NEAR(all.median, 0.1, 1e-12);
  EXPECT_NEAR(all.p90, 0.5, 1e-12);
  EXPECT_NEAR(all.ratio, std::cbrt(1.1 * 0.5), 1e-12);
  const auto linear = [](const Method& method) { return method.algorithm == "linear"; };
  EXPECT_EQ(simulated_error(measured, simulated, linear).cells, 2U);
  EXPECT_EQ(simulated_error(measured, times(4, {}), any).cells, 0U);
}

}  // namespace
}  // namespace colltree
