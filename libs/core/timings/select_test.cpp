// SPDX-License-Identifier: BSD-3-Clause
// Parts of a table, and what identifies it.
#include <gtest/gtest.h>

#include <set>

#include "timings/test_times.h"
#include "timings/timings.h"

namespace colltree {
namespace {

using Numbers = std::vector<std::uint64_t>;
using Methods = std::vector<Method>;

Timings with_all_columns(std::uint64_t seed) {
  Timings timings = testing::random_timings({.cannot_run = 0.2}, seed);
  for (std::size_t at = 0; at < timings.time_us.size(); ++at) {
    const double time = timings.time_us[at].measured_us();
    const Interval interval{0.9 * time, 1.1 * time};
    timings.time_us.set(
        at, time < 20 ? Time::predicted(time, interval) : Time::measured(time, interval));
  }
  timings.one_order = OneOrder{.order = "left to right", .methods = 3};
  timings.algorithms = "openmpi";
  timings.mpi = "openmpi-4.1.4";
  return timings;
}

// NaN is equal to itself here.
void expect_same(double one, double other) {
  if (std::isnan(one) || std::isnan(other)) {
    EXPECT_EQ(std::isnan(one), std::isnan(other));
  } else {
    EXPECT_EQ(one, other);
  }
}

void expect_same(const Time& one, const Time& other) {
  EXPECT_EQ(one.kind(), other.kind());
  expect_same(one.known_us(), other.known_us());
  expect_same(one.interval_or_itself().low, other.interval_or_itself().low);
  expect_same(one.interval_or_itself().high, other.interval_or_itself().high);
}

TEST(Select, InstancesKeepTheirRowsOfEveryColumn) {
  const Timings all = with_all_columns(3);
  const std::size_t chosen[] = {0, 7, 8, 35};
  const Timings some = select_instances(all, chosen);
  ASSERT_EQ(some.instances.size(), 4U);
  EXPECT_EQ(some.methods, all.methods);
  EXPECT_EQ(some.one_order, all.one_order);
  EXPECT_EQ(some.algorithms, "openmpi");
  EXPECT_EQ(some.mpi, "openmpi-4.1.4");
  EXPECT_EQ(some.system, "random");
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(some.instances[i], all.instances[chosen[i]]);
    expect_same(some.default_us[i], all.default_us[chosen[i]]);
    for (std::size_t m = 0; m < 3; ++m) {
      expect_same(some.time_at(i, m), all.time_at(chosen[i], m));
    }
  }
  EXPECT_TRUE(select_instances(all, {}).time_us.empty());
}

TEST(Select, ATableWithoutDefaultsGetsNone) {
  Timings all = testing::random_timings({}, 3);
  all.default_us = {};
  const std::size_t chosen[] = {2};
  EXPECT_TRUE(select_instances(all, chosen).default_us[0].is_impossible());
}

TEST(Select, MethodsAreTakenInTheOrderAskedFor) {
  const Timings all = with_all_columns(4);
  const Timings some = select_methods(all, std::vector{all.methods[2], all.methods[0]});
  ASSERT_EQ(some.methods.size(), 2U);
  EXPECT_EQ(some.instances, all.instances);
  EXPECT_EQ(some.algorithms, "openmpi");
  EXPECT_EQ(some.mpi, "openmpi-4.1.4");
  for (std::size_t i = 0; i < all.instances.size(); ++i) {
    expect_same(some.time_at(i, 0), all.time_at(i, 2));
    expect_same(some.time_at(i, 1), all.time_at(i, 0));
    expect_same(some.default_us[i], all.default_us[i]);
  }
}

TEST(Select, CommonMethodsAreThoseOfBothInTheFirstsOrder) {
  Timings one{.methods = {{"a", 0}, {"b", 0}, {"b", 1024}, {"c", 0}}};
  Timings other{.methods = {{"c", 0}, {"b", 1024}, {"d", 0}}};
  EXPECT_EQ(common_methods(one, other), (Methods{{"b", 1024}, {"c", 0}}));
  EXPECT_EQ(common_methods(other, one), (Methods{{"c", 0}, {"b", 1024}}));
  EXPECT_EQ(common_methods(one, {}), Methods());
}

Timings placed(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& ranks_and_per_node) {
  Timings timings{.methods = {{"a", 0}}};
  for (const auto& [ranks, per_node] : ranks_and_per_node) {
    timings.instances.push_back({Collective::kBcast, ranks, 8, 0, per_node});
    timings.time_us.push_back(static_cast<double>(timings.instances.size()));
  }
  return timings;
}

TEST(Placements, AreThoseOfSeveralNodesWhereThereAreSome) {
  EXPECT_EQ(placements_of(placed({{2, 2}, {4, 4}})), (Numbers{2, 4}));
  EXPECT_EQ(placements_of(placed({{2, 2}, {4, 4}, {8, 4}, {8, 1}})), (Numbers{1, 4}));
  EXPECT_EQ(placements_of(placed({{8, 8}, {8, 0}})), Numbers{0});
}

TEST(Placements, SeveralMeansOfOneCommunicatorSize) {
  EXPECT_FALSE(has_several_placements(placed({{2, 2}, {4, 4}, {8, 4}, {8, 4}})));
  EXPECT_TRUE(has_several_placements(placed({{8, 4}, {4, 4}, {8, 2}})));
}

TEST(Placements, OneIsSoManyRanksOnEachNodeOrAllOnOne) {
  const Timings four =
      select_placement(placed({{2, 2}, {4, 4}, {8, 4}, {8, 2}, {8, 8}, {2, 1}}), 4);
  EXPECT_EQ(testing::values_of(four.time_us), (std::vector<double>{1, 2, 3}));
}

TEST(Timings, ColumnOfAMethodThatHasNoTimeIsThatOfWhatRuns) {
  // A segment as long as the message does not cut it: the unsegmented method runs.
  Timings timings{.methods = {{"binomial", 0}, {"binomial", 1024}},
                  .instances = {{Collective::kBcast, 8, 512}, {Collective::kBcast, 8, 4096}},
                  .time_us = {5, kNoTime, 50, 40},
                  .default_us = {3, kNoTime}};
  EXPECT_EQ(timings.column_of(0, {"binomial", 1024}), 0U);
  EXPECT_EQ(timings.time_of(0, {"binomial", 1024}).known_us(), 5);
  EXPECT_EQ(timings.column_of(1, {"binomial", 1024}), 1U);
  EXPECT_EQ(timings.time_of(0, library_default()).known_us(), 3);
  EXPECT_TRUE(timings.time_of(1, library_default()).is_impossible());
  EXPECT_FALSE(timings.column_of(1, {"chain", 0}));
  EXPECT_TRUE(timings.time_of(1, {"chain", 0}).is_impossible());
  EXPECT_FALSE(timings.default_column());
  timings.methods[1] = library_default();
  EXPECT_EQ(timings.default_column(), 1U);
}

TEST(BestMethod, TiesGoToTheFirstWithinTheTolerance) {
  const double close[] = {2 * (1 + 1e-10), 2, 3};
  EXPECT_EQ(best_method(close), 0U);
  EXPECT_EQ(best_method(close, 0), 1U);
  const double apart[] = {2 * (1 + 1e-8), 2, 3};
  EXPECT_EQ(best_method(apart), 1U);
  const double none[] = {kNoTime, kNoTime};
  EXPECT_FALSE(best_method(none));
  EXPECT_FALSE(best_method({}));
  const double last[] = {kNoTime, 7};
  EXPECT_EQ(best_method(last), 1U);
  EXPECT_EQ(least_time(last), 7);
}

TEST(Hash, IsThatOfTheSessionAndNothingElse) {
  const std::vector<Timings> session = {testing::random_timings({}, 1),
                                        testing::random_timings({}, 2, Collective::kReduce)};
  const std::string hash = hash_of(session);
  EXPECT_EQ(hash_of({session[1], session[0]}), hash);
  std::vector<Timings> same = session;
  same[0].default_us.assign(36, 1);
  testing::set_intervals(same[0].time_us, 1, 1);
  same[0].one_order = OneOrder{};
  EXPECT_EQ(hash_of(same), hash);
  // The default as a candidate is the same session, too.
  Timings& wider = same[1];
  wider.methods.push_back(library_default());
  Times rows;
  for (std::size_t i = 0; i < 36; ++i) {
    for (std::size_t m = 0; m < 3; ++m) rows.push_back(wider.time_us[3 * i + m]);
    rows.push_back(9);
  }
  wider.time_us = rows;
  EXPECT_EQ(hash_of(same), hash);

  std::set<std::string> hashes = {hash};
  const auto changed = [&](const auto& change) {
    std::vector<Timings> other = session;
    change(other[0]);
    hashes.insert(hash_of(other));
  };
  changed([](Timings& one) { one.system = "other"; });
  changed([](Timings& one) { one.provenance = "measured"; });
  changed([](Timings& one) { one.methods[1].segment_size = 8; });
  changed([](Timings& one) { one.methods[1].algorithm = "n1"; });
  changed([](Timings& one) { one.instances[5].nodes = 2; });
  changed([](Timings& one) { one.instances[5].ranks_per_node = 2; });
  changed([](Timings& one) { one.instances[5].message_size += 1; });
  changed([](Timings& one) { one.instances[5].communicator_size += 1; });
  changed([](Timings& one) { one.time_us.set(100, kNoTime); });
  changed(
      [](Timings& one) { one.time_us.set(100, std::nextafter(one.time_us[100].known_us(), 0)); });
  EXPECT_EQ(hashes.size(), 11U);
}

}  // namespace
}  // namespace colltree
