// SPDX-License-Identifier: BSD-3-Clause
#include "profile/load_timings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "profile/test_profile.h"
#include "timings/test_times.h"

namespace colltree::profile {
namespace {

using ::testing::ElementsAre;
using ::testing::NanSensitiveDoubleEq;

Timings loaded(const std::string& file, const std::vector<Cell>& cells,
               const LoadOptions& options = {}) {
  Profile profile(fresh_path(file), OpenMode::kWrite);
  profile.record(profile.begin_campaign(campaign("grig")), cells);
  return load_timings(profile, "grig", Collective::kBcast, options).timings;
}

const std::vector<Cell> kCells = {
    cell(8, 1, {"zeta", 16}, {9}),
    cell(8, 1, {"alpha", std::nullopt}, {8}),
    cell(8, 1, {"pipeline", 0}, {7}),
    cell(8, 1, {"binomial", 0}, {1, 2, 6}),
    cell(8, 1, {"default", std::nullopt}, {5}),
    cell(8, 1, {"ext:mine", std::nullopt}, {0.5}),
    cell(4, 1, {"binomial", 0}, {3, 4}),
    failed_cell(4, 1, {"pipeline", 0}, "crashed"),
    cell(16, 1, {"default", std::nullopt}, {5}),
};

TEST(LoadTimings, TableOfMedians) {
  const Timings timings = loaded("table.db", kCells);
  EXPECT_EQ(timings.provenance, "simulated");
  EXPECT_EQ(timings.algorithms, "portable");
  EXPECT_EQ(timings.mpi, "smpi-3.32");
  EXPECT_THAT(timings.methods, ElementsAre(Method{"binomial", 0}, Method{"pipeline", 0},
                                           Method{"alpha", std::nullopt}, Method{"zeta", 16}));
  ASSERT_EQ(timings.instances.size(), 2U);  // 16 ranks: only the default
  EXPECT_EQ(timings.instances[0].communicator_size, 4U);
  const auto is = [](double value) { return NanSensitiveDoubleEq(value); };
  EXPECT_THAT(
      testing::values_of(timings.time_us),
      ElementsAre(is(3.5), is(kNoTime), is(kNoTime), is(kNoTime), is(2), is(7), is(8), is(9)));
  EXPECT_THAT(testing::values_of(timings.default_us), ElementsAre(is(kNoTime), is(5)));
}

TEST(LoadTimings, MinimumAndMeanOnDemand) {
  EXPECT_EQ(loaded("minimum.db", kCells, {.summary = Summary::kMinimum}).time_at(1, 0).known_us(),
            1);
  EXPECT_EQ(loaded("mean.db", kCells, {.summary = Summary::kMean}).time_at(1, 0).known_us(), 3);
}

TEST(LoadTimings, IntervalsOfTheMedian) {
  const Timings timings = loaded("intervals.db", kCells);
  EXPECT_EQ(timings.column_of(1, {"binomial", 1024}), 0U);  // as time_of
  EXPECT_EQ(timings.column_of(0, {"pipeline", 0}), std::nullopt);
  EXPECT_EQ(timings.time_at(1, 0).interval()->low, 1);  // three samples: their range
  EXPECT_EQ(timings.time_at(1, 0).interval()->high, 6);
  EXPECT_EQ(timings.time_at(1, 1).interval()->low, 7);  // one sample
  EXPECT_EQ(timings.time_at(1, 1).interval()->high, 7);
  EXPECT_FALSE(timings.time_at(0, 1).interval());
  EXPECT_FALSE(loaded("mean.db", kCells, {.summary = Summary::kMean}).time_at(1, 0).interval());
}

TEST(LoadTimings, OnlyThoseUnderTheSetting) {
  std::vector<Cell> cells = kCells;
  cells.push_back(cell(8, 1, under_setting({"binomial", 0}, "tcp"), {20}));
  cells.push_back(cell(8, 1, under_setting({"default", std::nullopt}, "tcp"), {21}));
  EXPECT_EQ(testing::values_of(loaded("settings.db", cells).time_us).size(), 8U);
  const Timings tcp = loaded("tcp.db", cells, {.setting = "tcp"});
  EXPECT_THAT(tcp.methods, ElementsAre(Method{"binomial", 0}));
  EXPECT_THAT(testing::values_of(tcp.time_us), ElementsAre(20));
  EXPECT_THAT(testing::values_of(tcp.default_us), ElementsAre(21));
  EXPECT_THAT(error_of([&] { loaded("no.db", cells, {.setting = "ucx"}); }),
              ::testing::EndsWith(": has no timings of bcast on grig under setting ucx"));
}

TEST(LoadTimings, ExternalCodeOnDemand) {
  const Timings timings = loaded("external.db", kCells, {.external = true});
  EXPECT_EQ(timings.time_of(1, {"ext:mine", std::nullopt}).known_us(), 0.5);
}

TEST(LoadTimings, CampaignsOfASystemArePooled) {
  Profile profile(fresh_path("pooled.db"), OpenMode::kWrite);
  CampaignInfo second = campaign("grig");
  second.config_hash = "second";
  profile.record(profile.begin_campaign(campaign("grig")),
                 std::vector{cell(8, 1, {"linear", 0}, {1, 9})});
  profile.record(profile.begin_campaign(second), std::vector{cell(8, 1, {"linear", 0}, {4})});
  profile.record(profile.begin_campaign(campaign("other")),
                 std::vector{cell(8, 1, {"linear", 0}, {1})});
  EXPECT_EQ(load_timings(profile, "grig", Collective::kBcast).timings.time_at(0, 0).known_us(), 4);
}

TEST(Timings, TimeOfWhatReallyRuns) {
  const Timings timings = loaded("really.db", kCells);
  EXPECT_EQ(timings.time_of(1, {"binomial", 1024}).known_us(), 2);  // 1 B is never cut
  EXPECT_EQ(timings.time_of(1, {"default", std::nullopt}).known_us(), 5);
  EXPECT_EQ(timings.time_of(1, {"zeta", 16}).known_us(), 9);  // measured as it was asked for
  EXPECT_TRUE(timings.time_of(0, {"pipeline", 0}).is_impossible());
  EXPECT_TRUE(timings.time_of(1, {"unknown", 0}).is_impossible());
}

TEST(LoadTimings, OnlyOneCampaign) {
  Profile profile(fresh_path("one_campaign.db"), OpenMode::kWrite);
  CampaignInfo second = campaign("grig");
  second.config_hash = "second";
  profile.record(profile.begin_campaign(campaign("grig")),
                 std::vector{cell(8, 1, {"linear", 0}, {1}), cell(8, 2, {"linear", 0}, {1})});
  const CampaignId id = profile.begin_campaign(second);
  profile.record(id, std::vector{cell(8, 1, {"linear", 0}, {4})});
  const Timings timings =
      load_timings(profile, "grig", Collective::kBcast, LoadOptions{.campaign = id}).timings;
  EXPECT_THAT(testing::values_of(timings.time_us), ElementsAre(4));
}

TEST(TimingHalves, DealEachCellsSamples) {
  Profile profile(fresh_path("halves.db"), OpenMode::kWrite);
  profile.record(
      profile.begin_campaign(campaign("grig")),
      std::vector{cell(8, 1, {"linear", 0}, {1, 2, 4}), cell(8, 1, {"binomial", 0}, {5, 6}),
                  cell(8, 2, {"linear", 0}, {7}), cell(8, 2, {"binomial", 0}, {8, 9})});
  const auto deal = [&](std::uint64_t seed) {
    return find_timing_halves(profile, "grig", Collective::kBcast, {}, seed);
  };
  std::set<std::vector<double>> deals;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto halves = deal(seed);
    ASSERT_TRUE(halves);
    EXPECT_EQ(halves->left_out, 1U);
    EXPECT_EQ(halves->first.instances, halves->second.instances);
    EXPECT_EQ(halves->first.methods, halves->second.methods);
    EXPECT_NE(halves->first.time_at(0, 0).known_us(), halves->second.time_at(0, 0).known_us());
    EXPECT_EQ(halves->first.time_at(0, 1).known_us() + halves->second.time_at(0, 1).known_us(), 11);
    const std::vector<double> times_us = testing::values_of(halves->first.time_us);
    deals.insert(times_us);
    EXPECT_EQ(times_us, testing::values_of(deal(seed)->first.time_us));
  }
  EXPECT_EQ(deals.size(), 6U);  // 3 x 2: every sample may come first
}

TEST(TimingHalves, NoneWithoutRepeats) {
  Profile profile(fresh_path("no_halves.db"), OpenMode::kWrite);
  profile.record(profile.begin_campaign(campaign("grig")),
                 std::vector{cell(8, 1, {"linear", 0}, {1}), cell(8, 1, {"binomial", 0}, {2, 2})});
  EXPECT_FALSE(find_timing_halves(profile, "grig", Collective::kBcast, {}, 1));
}

CampaignInfo imported(const std::string& uid = "") {
  return {.system = {"grig", kProvenanceImported, "openmpi-4.1.5", "", ""},
          .source = uid + "table.csv",
          .host = "node01",
          .config_hash = uid,
          .uid = uid};
}

// Three samples each: equal ones of `copied` cells, then cells where one differs.
std::vector<Cell> repeated_cells(std::uint64_t copied, std::uint64_t others, double time_us = 3) {
  std::vector<Cell> cells;
  for (std::uint64_t bytes = 1; bytes <= copied + others; ++bytes) {
    const double last = bytes <= copied ? time_us : time_us + 0.01;
    cells.push_back(cell(8, bytes, {"linear", 0}, {time_us, time_us, last}));
  }
  return cells;
}

Timings table_of(const Profile& profile) {
  return load_timings(profile, "grig", Collective::kBcast).timings;
}

std::optional<TimingHalves> halves_of(const Profile& profile) {
  return find_timing_halves(profile, "grig", Collective::kBcast, {}, 1);
}

TEST(CopiedSamples, CountAsOne) {
  Profile profile(fresh_path("copied.db"), OpenMode::kWrite);
  profile.record(profile.begin_campaign(imported()), repeated_cells(19, 1));
  const Timings timings = table_of(profile);
  EXPECT_TRUE(timings.has_copied_samples);
  EXPECT_TRUE(select_instances(timings, std::vector<std::size_t>{0}).has_copied_samples);
  EXPECT_EQ(timings.time_at(0, 0).known_us(), 3);
  EXPECT_EQ(timings.time_at(19, 0).interval()->high, 3.01) << "these samples are none";
  const auto halves = halves_of(profile);
  ASSERT_TRUE(halves);
  EXPECT_EQ(halves->left_out, 19U);
}

TEST(CopiedSamples, GiveNoHalves) {
  Profile profile(fresh_path("copied_all.db"), OpenMode::kWrite);
  profile.record(profile.begin_campaign(imported()), repeated_cells(3, 0));
  EXPECT_FALSE(halves_of(profile));
}

TEST(CopiedSamples, AreNotThoseOfACoarseClock) {
  Profile profile(fresh_path("coarse.db"), OpenMode::kWrite);
  profile.record(profile.begin_campaign(imported()), repeated_cells(18, 2));
  EXPECT_FALSE(table_of(profile).has_copied_samples);
  ASSERT_TRUE(halves_of(profile));
  EXPECT_EQ(halves_of(profile)->left_out, 0U);
}

TEST(CopiedSamples, AreNotThoseOfASimulationWithoutNoise) {
  Profile profile(fresh_path("exact.db"), OpenMode::kWrite);
  profile.record(profile.begin_campaign(campaign("grig")), repeated_cells(3, 0));
  EXPECT_FALSE(table_of(profile).has_copied_samples);
  EXPECT_TRUE(halves_of(profile));
}

TEST(CopiedSamples, OfTwoFilesAreTwo) {
  Profile profile(fresh_path("two_files.db"), OpenMode::kWrite);
  profile.record(profile.begin_campaign(imported("a")), repeated_cells(3, 0, 3));
  profile.record(profile.begin_campaign(imported("b")), repeated_cells(3, 0, 5));
  EXPECT_TRUE(table_of(profile).has_copied_samples);
  EXPECT_EQ(table_of(profile).time_at(0, 0).known_us(), 4);
  const auto halves = halves_of(profile);
  ASSERT_TRUE(halves);
  EXPECT_EQ(halves->first.time_at(0, 0).known_us() + halves->second.time_at(0, 0).known_us(), 8);
}

TEST(LoadTimings, NothingThereIsAnError) {
  const auto path = fresh_path("nothing.db");
  Profile profile(path, OpenMode::kWrite);
  profile.begin_campaign(campaign("grig"));
  EXPECT_EQ(error_of([&] { load_timings(profile, "grig", Collective::kReduce); }),
            path.string() + ": has no timings of reduce on grig");
}

Cell wanted_cell(std::uint64_t communicator_size, std::uint64_t bytes, Method method) {
  Cell made{.key = {{Collective::kBcast, communicator_size, bytes}, 0, 0, std::move(method)}};
  made.status = CellStatus::kWanted;
  return made;
}

// 8 ranks on two nodes; of 6 B only binomial was measured, of 8 B nothing.
std::vector<Cell> cells_of_an_adaptive_campaign() {
  std::vector<Cell> cells;
  const auto measured = [&](std::uint64_t bytes, Method method, double time_us) {
    Cell made = cell(8, bytes, std::move(method), {time_us});
    made.key.instance.nodes = 2;
    made.key.instance.ranks_per_node = 4;
    cells.push_back(made);
  };
  for (const std::uint64_t bytes : {1, 2, 4, 16, 32}) {
    measured(bytes, {"binomial", 0}, 10 + static_cast<double>(bytes));
    measured(bytes, {"pipeline", 0}, 20 + static_cast<double>(bytes));
  }
  measured(6, {"binomial", 0}, 16);
  for (const std::uint64_t bytes : {1, 2, 4, 6, 8, 16, 32}) {
    for (const char* algorithm : {"binomial", "pipeline", "never_measured"})
      cells.push_back(wanted_cell(8, bytes, {algorithm, 0}));
  }
  cells.push_back(failed_cell(8, 8, {"pipeline", 0}, "crashed"));
  return cells;
}

TEST(LoadTimings, WhatWasWantedAndNotMeasuredIsLeftToPredict) {
  Profile profile(fresh_path("wanted.db"), OpenMode::kWrite);
  profile.record(profile.begin_campaign(campaign("grig")), cells_of_an_adaptive_campaign());
  const StoredTimings stored = load_timings(profile, "grig", Collective::kBcast);
  ASSERT_EQ(stored.timings.instances.size(), 7U);
  EXPECT_THAT(stored.timings.methods, ElementsAre(Method{"binomial", 0}, Method{"pipeline", 0}));
  std::set<std::pair<std::uint64_t, std::string>> wanted;
  for (const auto& [at, method] : stored.wanted) {
    EXPECT_EQ(at.nodes, 2U) << "as its communicator size was measured";
    if (method.algorithm != "never_measured") wanted.emplace(at.message_size, method.algorithm);
  }
  EXPECT_THAT(wanted, ElementsAre(std::pair(6, "pipeline"), std::pair(8, "binomial")))
      << "what failed is not wanted";
  for (std::size_t i = 0; i < 7; ++i) {
    const std::uint64_t bytes = stored.timings.instances[i].message_size;
    EXPECT_EQ(stored.timings.time_at(i, 0).is_impossible(), bytes == 8);
    EXPECT_EQ(stored.timings.time_at(i, 1).is_impossible(), bytes == 6 || bytes == 8);
  }
}

TEST(LoadTimings, ACompleteProfileLeavesNothingToPredict) {
  Profile profile(fresh_path("complete.db"), OpenMode::kWrite);
  profile.record(profile.begin_campaign(campaign("grig")), kCells);
  const StoredTimings stored = load_timings(profile, "grig", Collective::kBcast);
  EXPECT_TRUE(stored.wanted.empty());
  EXPECT_EQ(counts_of(stored.timings).measured, 6U) << "five of methods, one of the default";
}

}  // namespace
}  // namespace colltree::profile
