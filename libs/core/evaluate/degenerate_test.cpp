// SPDX-License-Identifier: BSD-3-Clause
// Every kind of model and reference on timings with little in them: a right answer each.
#include <gtest/gtest.h>

#include "base/error.h"
#include "evaluate/points.h"

namespace colltree::evaluate {
namespace {

struct Case {
  const char* name;
  std::vector<std::uint64_t> ranks;
  std::vector<std::uint64_t> bytes;
  std::vector<std::vector<double>> times;  // by instance, of each method; 0 was not measured
  double best_fixed_mean;                  // over the instances where it runs
  double first_is_best;                    // share of instances
};

const Case kCases[] = {
    {"OneCommunicatorSize", {4}, {1, 64, 4096}, {{1, 2}, {1, 2}, {2, 1}}, 1.0 / 3, 2.0 / 3},
    {"OneMessageSize", {2, 3, 4}, {64}, {{2, 1}, {1, 2}, {1, 2}}, 1.0 / 3, 2.0 / 3},
    {"OneMethod", {2, 4}, {1, 64}, {{1}, {2}, {3}, {4}}, 0, 1},
    {"AllTied", {2, 4}, {1, 64}, {{3, 3}, {3, 3}, {3, 3}, {3, 3}}, 0, 1},
    {"OneCell", {4}, {64}, {{2, 1}}, 0, 0},
    {"Holes", {2, 4}, {1, 64}, {{1, 0}, {1, 2}, {0, 1}, {2, 1}}, 1.0 / 3, 0.5},
};

Timings timings_of(const Case& one) {
  Timings timings{.system = "s", .provenance = "measured"};
  timings.methods = {{"binomial", 0}, {"linear", 0}};
  timings.methods.resize(one.times.front().size());
  for (const std::uint64_t ranks : one.ranks) {
    for (const std::uint64_t bytes : one.bytes) {
      for (const double time : one.times[timings.instances.size()]) {
        timings.time_us.push_back(time == 0 ? kNoTime : time);
      }
      timings.instances.push_back({Collective::kBcast, ranks, bytes});
      timings.default_us.push_back(kNoTime);
    }
  }
  return timings;
}

class Degenerate : public ::testing::TestWithParam<Case> {};

TEST_P(Degenerate, EveryChooserThatMayBeExactIs) {
  const Timings timings = timings_of(GetParam());
  std::vector<Contender> contenders;
  for (const char* fitter :
       {"quadtree", "kdtree", "c45:weight=1,confidence=100", "optimal", "optimal:objective=max",
        "optimal:objective=time", "optimal:leaves=auto"}) {
    contenders.push_back(fitted_by(model::parse_fitter(fitter)));
  }
  contenders.push_back(exact_map());
  contenders.push_back(interpolation());
  const Comparison contest = run_contest(
      timings, "", contenders, {}, [](const FittedChooser&, const Timings&, ComparisonRow&) {},
      [] {});
  ASSERT_EQ(contest.rows.size(), contenders.size());
  for (const ComparisonRow& row : contest.rows) {
    EXPECT_EQ(row.refused, "") << row.chooser;
    EXPECT_TRUE(row.points.cannot_run.empty()) << row.chooser;
    EXPECT_EQ(row.points.values.size(), timings.instances.size()) << row.chooser;
    EXPECT_EQ(summarize(row.points).max, 0) << row.chooser;
  }
}

TEST_P(Degenerate, TheBestFixedMethodAndTheChosenSize) {
  const Timings timings = timings_of(GetParam());
  EXPECT_NEAR(summarize(best_fixed_method(timings)->points).mean, GetParam().best_fixed_mean,
              1e-12);
  const FittedChooser chosen = fitted_by(model::parse_fitter("optimal:leaves=auto")).fit({timings});
  EXPECT_TRUE(penalty_points(timings, chosen.choose).cannot_run.empty());
  std::size_t first = 0;
  const FittedChooser exact = exact_map().fit({timings});
  for (const Instance& at : timings.instances) {
    first += exact.choose(at) == timings.methods[0] ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(first) / static_cast<double>(timings.instances.size()),
              GetParam().first_is_best, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Timings, Degenerate, ::testing::ValuesIn(kCases),
                         [](const auto& one) { return one.param.name; });

TEST(DegenerateRefusal, NothingMeasuredIsSaid) {
  Timings none = timings_of(kCases[4]);
  none.time_us.assign(none.time_us.size(), kNoTime);
  for (const char* fitter : {"quadtree", "kdtree", "c45", "optimal", "optimal:leaves=auto"}) {
    EXPECT_THROW(model::parse_fitter(fitter).fit({none}), Error) << fitter;
  }
}

}  // namespace
}  // namespace colltree::evaluate
