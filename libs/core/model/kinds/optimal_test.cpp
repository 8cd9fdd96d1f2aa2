// SPDX-License-Identifier: BSD-3-Clause
#include "model/kinds/optimal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/json.h"
#include "base/test_sample.h"
#include "model/fitter.h"
#include "model/model.h"
#include "model/test_models.h"
#include "timings/test_times.h"

namespace colltree::model {
namespace {

using ::testing::HasSubstr;
using testing::pick;
using testing::Random;

// Noisy times of three methods with crossing costs; methods missing here and there.
Timings random_timings(Random& random, Collective collective, std::size_t rows,
                       std::size_t columns) {
  Timings timings{.system = "toy", .provenance = "simulated", .collective = collective};
  timings.methods = {{"binomial", 0}, {"chain", 0}, {"linear", 0}};
  for (const std::uint64_t ranks : testing::random_sizes(random, rows, 10)) {
    for (const std::uint64_t bytes : testing::random_sizes(random, columns, 20)) {
      timings.instances.push_back({collective, ranks, bytes});
    }
  }
  std::ranges::sort(timings.instances);
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    for (std::size_t m = 0; m < 3; ++m) {
      const bool runs = m == 0 || pick(random, 0, 19) > 0;
      timings.time_us.push_back(runs ? static_cast<double>(pick(random, 10, 40)) : kNoTime);
    }
    timings.default_us.push_back(kNoTime);
  }
  return timings;
}

// Method `low` is faster up to the size where cost + slope x size meets; times in us.
Timings crossing_timings(const std::vector<std::uint64_t>& sizes, double meets_at) {
  Timings timings{.system = "toy", .provenance = "simulated", .collective = Collective::kBcast};
  timings.methods = {{"binomial", 0}, {"linear", 0}};
  for (const std::uint64_t ranks : {4, 8}) {
    for (const std::uint64_t bytes : sizes) {
      timings.instances.push_back({Collective::kBcast, ranks, bytes});
      const double ratio = static_cast<double>(bytes) / meets_at;
      testing::append(timings.time_us, {10 * ratio, 10 * std::sqrt(ratio)});
      timings.default_us.push_back(kNoTime);
    }
  }
  return timings;
}

Model fit(const std::vector<Timings>& timings, const OptimalOptions& options = {}) {
  return fit_optimal(timings, options);
}

double mean_penalty(const Model& model, const std::vector<Timings>& all) {
  double sum = 0;
  double points = 0;
  for (const Timings& timings : all) {
    for (std::size_t i = 0; i < timings.instances.size(); ++i) {
      double best = kNoTime;
      for (std::size_t m = 0; m < timings.methods.size(); ++m) {
        best = std::fmin(best, timings.time_at(i, m).known_us());
      }
      sum += timings.time_of(i, model.decide(timings.instances[i])).known_us() / best - 1;
      points += 1;
    }
  }
  return sum / points;
}

TEST(OptimalModel, DecisionsAtMeasuredPointsAreWorthTheCertificate) {
  for (const std::size_t i : testing::sampled(24)) {
    SCOPED_TRACE(i);
    Random random(i);
    std::vector<Timings> timings = {random_timings(random, Collective::kBcast, 5, 6)};
    if (i % 3 == 0) timings.push_back(random_timings(random, Collective::kReduce, 4, 3));
    if (i % 6 == 0) timings.push_back(random_timings(random, Collective::kAlltoall, 3, 2));
    const OptimalOptions options{.leaves = pick(random, 3, 12), .power_of_two = i % 2 == 0};
    const Model model = fit(timings, options);
    const Certificate proof = *model.statistics.certificate;
    EXPECT_TRUE(proof.optimal);
    EXPECT_NEAR(mean_penalty(model, timings), proof.value, 1e-9);
    EXPECT_LE(model.statistics.shape.leaves, options.leaves);
  }
}

TEST(OptimalModel, IsReadBackAsItWasWritten) {
  Random random(2);
  const std::vector<Timings> timings = {random_timings(random, Collective::kBcast, 6, 6),
                                        random_timings(random, Collective::kReduce, 6, 6)};
  const Model model = fit(timings, {.leaves = 8, .power_of_two = true});
  const Json envelope = to_json(model);
  const auto back = model_from_json(envelope);
  EXPECT_EQ(back.kind, "optimal");
  EXPECT_EQ(to_json(back), envelope);
  for (const Instance& instance : testing::telling_instances(model.rules)) {
    EXPECT_EQ(back.decide(instance), model.decide(instance));
  }
  EXPECT_THROW(model.decide({Collective::kScan, 4, 4}), Error);
}

TEST(OptimalModel, ThresholdsLieWhereTheTimesCross) {
  // Measured at 1 KB and 64 KB only; both laws are straight lines in log-log space.
  const Model model = fit({crossing_timings({16, 1024, 65536}, 5000)});
  const RuleTree tree = model.rules;
  ASSERT_EQ(tree.nodes.size(), 3U);
  EXPECT_EQ(tree.nodes[0].attribute, Attribute::kMessageSize);
  EXPECT_EQ(tree.nodes[0].threshold, 5000U);
}

TEST(OptimalModel, ThresholdsKeepTheMeasuredPointsWhereTheyAre) {
  // Linear is better at both neighbours on the border, yet the tree must give 1024 B to binomial.
  Timings timings = crossing_timings({16, 1024, 65536}, 5000);
  for (const std::size_t row : {0, 1}) {
    timings.time_us.set(2 * (3 * row + 1),
                        row == 0 ? 1 : 9);  // 1024 B: binomial wins by far, loses
    timings.time_us.set(2 * (3 * row + 1) + 1, row == 0 ? 2 : 4);
  }
  const Model model = fit({timings}, {.leaves = 2});
  const std::uint64_t threshold = model.rules.nodes[0].threshold;
  EXPECT_GE(threshold, 16U);
  EXPECT_LT(threshold, 65536U);
  EXPECT_NEAR(mean_penalty(model, {timings}), model.statistics.certificate->value, 1e-12);
}

TEST(OptimalModel, DegenerateProfiles) {
  const std::vector<Timings> one_cell = {crossing_timings({16}, 8)};
  EXPECT_EQ(fit(one_cell).statistics.shape.leaves, 1);
  Timings single = crossing_timings({16, 1024, 65536}, 5000);
  single.methods.pop_back();
  Times first;
  for (std::size_t i = 0; i < single.time_us.size(); i += 2) first.push_back(single.time_us[i]);
  single.time_us = first;
  EXPECT_EQ(fit({single}).statistics.shape.leaves, 1);
  EXPECT_EQ(fit({single}).statistics.certificate->value, 0.0);
  Timings tied = crossing_timings({16, 1024, 65536}, 5000);
  tied.time_us.assign(tied.time_us.size(), 3.0);
  EXPECT_EQ(fit({tied}).statistics.shape.leaves, 1);
  EXPECT_EQ(fit({tied}).decide({Collective::kBcast, 4, 4}).algorithm, "binomial");
  Timings one_size = crossing_timings({16, 1024, 65536}, 5000);
  one_size.instances.resize(3);
  EXPECT_EQ(fit({one_size}).statistics.shape.leaves, 2);
  EXPECT_EQ(fit({one_size}, {.power_of_two = true}).statistics.shape.leaves, 2);
  Timings empty = one_size;
  empty.instances.clear();
  EXPECT_THROW(fit({empty}), Error);
}

TEST(OptimalModel, HolesCostNothing) {
  // A diagonal: 4 ranks at small messages, 8 ranks at large ones.
  Timings timings = crossing_timings({16, 1024, 65536}, 5000);
  std::vector<std::size_t> kept = {0, 1, 5};
  Timings holes = timings;
  holes.instances.clear();
  holes.time_us = {};
  holes.default_us = {};
  for (const std::size_t i : kept) {
    holes.instances.push_back(timings.instances[i]);
    holes.default_us.push_back(kNoTime);
    for (std::size_t m = 0; m < 2; ++m) holes.time_us.push_back(timings.time_at(i, m));
  }
  const Model model = fit({holes});
  EXPECT_EQ(model.statistics.shape.leaves, 2);
  EXPECT_EQ(model.statistics.certificate->value, 0.0);
  EXPECT_EQ(model.statistics.certificate->points, 3);
  EXPECT_EQ(model.statistics.certificate->grid, (std::vector<std::uint64_t>{2, 3}));
}

TEST(OptimalModel, PlacementsAreAnAxisWhereTheyDiffer) {
  Timings timings = crossing_timings({16}, 16);
  timings.instances = {{Collective::kBcast, 8, 16, 2, 4}, {Collective::kBcast, 8, 16, 4, 2}};
  timings.time_us = {1, 5, 5, 1};
  const Model model = fit({timings});
  EXPECT_EQ(model.statistics.shape.leaves, 2);
  EXPECT_EQ(model.rules.nodes[0].attribute, Attribute::kRanksPerNode);
  EXPECT_EQ(model.decide(timings.instances[0]).algorithm, "binomial");
  EXPECT_EQ(model.decide(timings.instances[1]).algorithm, "linear");
  timings.instances[0].ranks_per_node = 0;
  EXPECT_THROW(fit({timings}), Error);
}

TEST(OptimalModel, CallsDecideWhatIsWorthALeaf) {
  const Timings timings = crossing_timings({16, 1024, 65536}, 5000);
  const Model model = fit({timings}, {.leaves = 1, .mix = {{{Collective::kBcast, 4, 65536}, 100}}});
  EXPECT_EQ(model.decide({Collective::kBcast, 4, 16}).algorithm, "linear");
  EXPECT_EQ(model.statistics.certificate->value, 0.0);
  EXPECT_THROW(fit({timings}, {.mix = {{{Collective::kScan, 4, 4}, 1}}}), Error);
}

TEST(OptimalModel, AMethodOfOneCollectiveIsNeverGivenToAnother) {
  Timings bcast = crossing_timings({16, 65536}, 5000);
  Timings reduce = bcast;
  reduce.collective = Collective::kReduce;
  for (Instance& instance : reduce.instances) instance.collective = Collective::kReduce;
  reduce.methods[1].algorithm = "rabenseifner";
  const Model model = fit({bcast, reduce}, {.leaves = 4});
  for (const Instance& instance : testing::telling_instances(model.rules)) {
    const std::string algorithm = model.decide(instance).algorithm;
    EXPECT_NE(algorithm, instance.collective == Collective::kBcast ? "rabenseifner" : "linear");
  }
  // The part below 5000 bytes is one leaf for both.
  EXPECT_EQ(model.statistics.shape.leaves, 3);
}

TEST(OptimalModel, AStoppedSearchSaysSo) {
  Random random(3);
  const std::vector<Timings> timings = {random_timings(random, Collective::kBcast, 9, 9)};
  OptimalOptions options{.leaves = 9, .time_limit_s = 0};
  try {
    const Certificate proof = *fit(timings, options).statistics.certificate;
    EXPECT_FALSE(proof.optimal);
    EXPECT_LT(proof.lower_bound, proof.value);
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("stopped the search before it found any tree"));
  }
}

TEST(OptimalModel, SizesComeFromOneSearch) {
  Random random(4);
  const std::vector<Timings> timings = {random_timings(random, Collective::kBcast, 6, 7)};
  const auto models = fit_optimal_sizes(timings, {.leaves = 9});
  ASSERT_FALSE(models.empty());
  for (const Model& model : models) {
    Model alone = fit(timings, {.leaves = model.statistics.certificate->leaves});
    alone.statistics.frontier = model.statistics.frontier;
    alone.statistics.certificate->tolerance = model.statistics.certificate->tolerance;
    EXPECT_EQ(to_json(model), to_json(alone));
  }
}

TEST(Fitter, OptimalIsAKind) {
  Random random(5);
  const std::vector<Timings> timings = {random_timings(random, Collective::kBcast, 5, 5)};
  const Fitter fitter = parse_fitter("optimal:leaves=7,objective=p90");
  const Model model = fitter.fit(timings);
  EXPECT_EQ(fitter_of(model).name(), fitter.name());
  EXPECT_EQ(fitter_of(model).fit(timings).rules, model.rules);
  EXPECT_THROW(parse_fitter("optimal:leaves=0"), UsageError);
  EXPECT_THROW(parse_fitter("optimal:objective=least"), UsageError);
}

}  // namespace
}  // namespace colltree::model
