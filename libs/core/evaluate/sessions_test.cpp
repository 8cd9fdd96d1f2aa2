// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/sessions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_scratch.h"
#include "timings/test_times.h"

namespace colltree::evaluate {

namespace {

using ::testing::ElementsAre;

SessionPair sessions(Timings here, Timings there) {
  SessionPair pair{.here_name = "a.db", .there_name = "b.db"};
  pair.here = std::move(here);
  pair.there = std::move(there);
  return pair;
}

Timings session(std::uint64_t seed, const std::vector<std::uint64_t>& ranks,
                const std::vector<Method>& methods) {
  Timings timings =
      testing::random_timings({.ranks = ranks, .bytes = {1, 64}, .methods = methods.size()}, seed);
  timings.methods = methods;
  return timings;
}

TEST(SessionPair, IsNarrowedToMethodsAndInstancesOfBoth) {
  const Timings here = session(1, {2, 4, 8}, {{"a", 0}, {"b", 0}, {"c", 0}});
  const Timings there = session(2, {4, 8, 16}, {{"c", 0}, {"d", 0}, {"a", 0}, {"e", 0}});
  const SessionPair pair = make_session_pair(sessions(here, there));
  EXPECT_THAT(pair.here.methods, ElementsAre(Method{"a", 0}, Method{"c", 0}));
  EXPECT_EQ(pair.there.methods, pair.here.methods);
  EXPECT_EQ(pair.other_methods, 3U);  // b, d, e
  EXPECT_EQ(pair.here.instances, here.instances) << "to fit to all that was measured";
  ASSERT_EQ(pair.there.instances.size(), 4U);
  EXPECT_EQ(pair.there.instances[0].communicator_size, 4U);
  EXPECT_EQ(pair.other_instances, 2U);
  EXPECT_EQ(pair.there.time_at(0, 0).known_us(), there.time_at(0, 2).known_us());
  EXPECT_EQ(pair.there.time_at(0, 1).known_us(), there.time_at(0, 0).known_us());
}

TEST(SessionPair, InstancesWithoutATimeOfACommonMethodAreLeftOut) {
  Timings here = session(1, {2, 4}, {{"a", 0}, {"b", 0}});
  const Timings there = session(2, {2, 4}, {{"a", 0}, {"c", 0}});
  here.time_us.set(0, kNoTime);  // a at the first: only b ran there
  const SessionPair pair = make_session_pair(sessions(here, there));
  EXPECT_EQ(pair.here.instances.size(), 3U);
  EXPECT_EQ(pair.there.instances.size(), 3U);
  EXPECT_EQ(pair.other_instances, 1U);
}

TEST(SessionPair, WhatIsNoPairIsSaid) {
  const Timings here = session(1, {2, 4}, {{"a", 0}});
  EXPECT_EQ(error_of([&] { make_session_pair(sessions(here, here)); }),
            "b.db: holds the same times of bcast as a.db: name another session");
  EXPECT_EQ(error_of([&] {
              make_session_pair(sessions(here, session(2, {2, 4}, {{"b", 0}})));
            }),
            "b.db: has no method of bcast in common with a.db");
  EXPECT_EQ(error_of([&] {
              make_session_pair(sessions(here, session(2, {3}, {{"a", 0}})));
            }),
            "b.db: has no instance of bcast in common with a.db: sizes and placement must be the "
            "same");
  Timings placed = session(2, {2, 4}, {{"a", 0}});
  for (Instance& at : placed.instances) at.nodes = 2;
  EXPECT_NE(error_of([&] { make_session_pair(sessions(here, placed)); }), "no error");
}

TEST(SessionPair, SimulatedAndMeasuredAreTwoThings) {
  SessionPair pair;
  pair.here_system.provenance = pair.there_system.provenance = profile::kProvenanceSimulated;
  EXPECT_FALSE(pair.mixes_simulated());
  pair.there_system.provenance = profile::kProvenanceImported;
  EXPECT_TRUE(pair.mixes_simulated());
  pair.here_system.provenance = profile::kProvenanceMeasured;
  EXPECT_FALSE(pair.mixes_simulated());
}

TEST(SystemBeside, IsTheOneOfThisNameThenTheOnlyOne) {
  const auto path = fresh_path("beside.db");
  profile::Profile profile(path, profile::OpenMode::kWrite);
  const auto add = [&](const std::string& name) {
    profile.begin_campaign({.system = {name, profile::kProvenanceImported, "", "", ""},
                            .source = "f.csv",
                            .host = "h",
                            .config_hash = name});
  };
  add("one");
  EXPECT_EQ(system_beside(profile, "here").name, "one");
  add("two");
  EXPECT_EQ(system_beside(profile, "two").name, "two");
  const std::string several = error_of([&] { system_beside(profile, "here"); });
  EXPECT_NE(several.find("(one, two), and none is called 'here'"), std::string::npos) << several;
  EXPECT_EQ(session_name("runs/of/Q.db"), "Q.db");
}

// bcast with 8 bytes on 2, 3, ... ranks.
Timings session(const std::vector<std::pair<double, double>>& times) {
  Timings timings;
  timings.methods = {{"a", 0}, {"b", 0}};
  for (std::size_t i = 0; i < times.size(); ++i) {
    timings.instances.push_back({Collective::kBcast, 2 + i, 8});
    timings.time_us.push_back(times[i].first);
    timings.time_us.push_back(times[i].second);
    timings.default_us.push_back(kNoTime);
  }
  return timings;
}

TEST(NoiseFloor, TheBestOfOneSessionJudgedInTheOther) {
  const Timings monday = session({{1, 2}, {3, 2}});
  const Timings tuesday = session({{3, 2}, {4, 1}, {1, 1}});
  const NoiseFloor there = transferred(monday, tuesday);
  EXPECT_EQ(there.points.values, (std::vector<double>{0.5, 0}));
  EXPECT_EQ(there.share_same(), 0.5);
  const NoiseFloor back = transferred(tuesday, monday);  // b for 2 ranks costs 1
  EXPECT_EQ(back.points.values, (std::vector<double>{1, 0}));
  EXPECT_EQ(back.judged, 2U);
  EXPECT_EQ(back.common_methods, 2U);
  EXPECT_EQ(back.other_methods, 0U);
}

// A method that only one session has is best there: it is no choice in either direction, and what
// the others lose against it is no noise.
TEST(NoiseFloor, OnlyCommonMethodsAreCompared) {
  const Timings monday = session({{1, 2}, {3, 2}});
  Timings tuesday = session({{1, 2}, {3, 2}});
  tuesday.methods = {{"a", 0}, {"b", 0}, {"new", 0}};
  tuesday.time_us = {1, 2, 0.1, 3, 2, 0.1};
  for (const NoiseFloor& floor : {transferred(monday, tuesday), transferred(tuesday, monday)}) {
    EXPECT_EQ(floor.points.values, (std::vector<double>{0, 0}));
    EXPECT_EQ(floor.share_same(), 1);
    EXPECT_EQ(floor.common_methods, 2U);
    EXPECT_EQ(floor.other_methods, 1U);
  }
  Timings others = session({{1, 2}});
  others.methods = {{"c", 0}, {"d", 0}};
  EXPECT_EQ(transferred(monday, others).judged, 0U);
}

TEST(NoiseFloor, PairsAddUp) {
  NoiseFloor sum = transferred(session({{1, 2}}), session({{2, 1}}));
  sum.add(transferred(session({{1, 2}}), session({{1, 3}})));
  EXPECT_EQ(sum.judged, 2U);
  EXPECT_EQ(sum.share_same(), 0.5);
  EXPECT_EQ(sum.common_methods, 2U);
  NoiseFloor none;
  none.add(sum);
  EXPECT_EQ(none.common_methods, 2U);
}

TEST(NoiseFloor, NothingInCommon) {
  Timings other = session({{1, 2}});
  other.instances[0].message_size = 9;
  EXPECT_EQ(transferred(session({{1, 2}}), other).judged, 0U);
  EXPECT_EQ(transferred(session({{1, 2}}), other).share_same(), 0);
}

TEST(NoiseFloor, WhyThereIsNone) {
  Timings copied = session({{1, 2}});
  copied.has_copied_samples = true;
  EXPECT_EQ(no_noise_floor({copied}, {.collective = Collective::kBcast}),
            "  no noise floor: the repetitions are equal to the last digit, so they are copies of "
            "one sample, and no two campaigns have an instance and a method in common; measure "
            "again, or name another session with --on\n");
  EXPECT_EQ(no_noise_floor({copied}, {.collective = Collective::kReduce}),
            "  no noise floor: at every instance some method has a single sample, and no two "
            "campaigns have an instance and a method in common; measure again, or name another "
            "session with --on\n");
  EXPECT_EQ(no_noise_floor({copied}, {.rows = {{.chooser = kNoiseFloor}}}), "");
}

TEST(NoiseFloor, WhatDidNotRunInTheOtherIsCounted) {
  Timings tuesday = session({{kNoTime, 2}});
  const NoiseFloor there = transferred(session({{1, 2}}), tuesday);
  EXPECT_TRUE(there.points.values.empty());
  EXPECT_EQ(there.points.cannot_run.size(), 1U);
}

}  // namespace

}  // namespace colltree::evaluate
