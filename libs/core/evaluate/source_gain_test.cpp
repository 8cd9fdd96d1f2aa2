// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include <cmath>

#include "coll/catalogue.h"
#include "evaluate/runs.h"
#include "profile/load_timings.h"
#include "profile/test_profile.h"
#include "surrogate/complete.h"
#include "timings/test_times.h"

namespace colltree::evaluate {
namespace {

using ::testing::HasSubstr;

// By instance the times of the methods, then of the default.
Timings made_up(const std::vector<std::uint64_t>& sizes, const std::vector<Method>& methods,
                const std::vector<std::vector<double>>& times) {
  Timings timings;
  timings.collective = Collective::kBcast;
  timings.methods = methods;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    timings.instances.push_back({Collective::kBcast, 4, sizes[i]});
    for (std::size_t m = 0; m < methods.size(); ++m) timings.time_us.push_back(times[i][m]);
    timings.default_us.push_back(times[i].back());
  }
  return timings;
}

Timings library() {
  return made_up({8, 1024, 65536, 1048576}, {{"chain", 0}, {"pipeline", 0}},
                 {{10, 8, 16}, {10, kNoTime, 12}, {40, 50, 30}, {kNoTime, kNoTime, 100}});
}

Timings portable() {
  return made_up({8, 1024, 65536, 4194304}, {{"linear", 0}, {"binomial", 0}},
                 {{4, 9, 16}, {kNoTime, 20, 13.2}, {20, 15, 27}, {1, 1, 1}});
}

TEST(SourceGain, SetsTheBestOfBothBesideTheDefault) {
  const auto gain = source_gain(portable(), library());
  ASSERT_TRUE(gain.has_value());
  EXPECT_EQ(gain->overall.instances, 3U) << "1 MiB and 4 MiB are on one side only";
  EXPECT_EQ(gain->left_out, 2U);
  // Against the default: the library 16/8, 12/10, 1 (its methods are slower than it); ours 16/4,
  // 1, 2.
  EXPECT_NEAR(gain->overall.rules, std::cbrt(2 * 1.2 * 1), 1e-12);
  EXPECT_NEAR(gain->overall.portable, std::cbrt(4 * 1 * 2), 1e-12);
  EXPECT_NEAR(gain->overall.gain, std::cbrt(2.0 * (10.0 / 12) * 2), 1e-12);
  EXPECT_EQ(gain->overall.portable_faster, 2U);
  EXPECT_EQ(gain->overall.library_faster, 1U);
  EXPECT_NEAR(*gain->default_apart, 0.1, 1e-12);
  ASSERT_EQ(gain->bands.size(), 2U);
  EXPECT_EQ(gain->bands[0].least_bytes, 8U);
  EXPECT_EQ(gain->bands[0].most_bytes, 1024U);
  EXPECT_EQ(gain->bands[0].instances, 2U);
  EXPECT_NEAR(gain->bands[1].gain, 2, 1e-12);
}

TEST(SourceGain, IsCertainWhereIntervalsDoNotMeet) {
  Timings ours = portable();
  Timings own = library();
  const auto widen = [](Timings& timings, double factor) {
    testing::set_intervals(timings.time_us, 1 / factor, factor);
  };
  widen(ours, 1.1);
  widen(own, 1.1);
  EXPECT_EQ(source_gain(ours, own)->overall.portable_certain, 2U);
  widen(ours, 1.5);  // 4 * 1.5 is below 8 / 1.1, 15 * 1.5 below the default's 30
  EXPECT_EQ(source_gain(ours, own)->overall.portable_certain, 2U);
  widen(ours, 2.5);  // neither 10 nor 37.5 is
  EXPECT_EQ(source_gain(ours, own)->overall.portable_certain, 0U);
  EXPECT_EQ(source_gain(ours, own)->overall.portable_faster, 2U);
}

TEST(SourceGain, NothingInCommonIsNone) {
  const Timings ours = made_up({4}, {{"linear", 0}}, {{1, 2}});
  EXPECT_FALSE(source_gain(ours, library()).has_value());
  EXPECT_FALSE(source_gain(made_up({8}, {{"linear", 0}}, {{kNoTime, 2}}), library()).has_value());
}

// A profile with a system for each of name, source, MPI library and host.
struct MadeSystem {
  std::string name, source, mpi, host;
};
std::filesystem::path profile_of(const std::vector<MadeSystem>& systems) {
  const auto path = fresh_path("sources.db");
  profile::Profile profile(path, profile::OpenMode::kWrite);
  for (const MadeSystem& made : systems) {
    profile::CampaignInfo info = profile::campaign(made.name);
    info.system = {made.name, profile::kProvenanceMeasured, made.mpi, "", ""};
    info.source = made.source;
    info.host = made.host;
    info.uid = made.name + made.source;
    const profile::CampaignId id = profile.begin_campaign(info);
    const double best = made.source == "portable" ? 5 : 10;
    profile.record(id, std::vector<profile::Cell>{profile::cell(4, 64, {"binomial", 0}, {best}),
                                                  profile::cell(4, 64, library_default(), {20})});
  }
  return path;
}

std::string pair_in(const std::vector<MadeSystem>& systems,
                    const std::optional<std::string>& system = std::nullopt) {
  const profile::Profile profile(profile_of(systems), profile::OpenMode::kRead);
  const auto pair = find_source_pair(profile, system);
  return pair ? pair->portable.name + " " + pair->library.name : "";
}

TEST(SourcePair, IsOneMachineWithOneLibrary) {
  const MadeSystem ours{"here", "portable", "openmpi-4.1.4", "n1"};
  const MadeSystem own{"here-own", "openmpi", "openmpi-4.1.4", "n1"};
  const MadeSystem other{"here-openmpi5", "openmpi", "openmpi-5.0.0", "n1"};
  const MadeSystem third{"third", "openmpi", "openmpi-4.1.4", "n1"};
  const MadeSystem away{"away", "openmpi", "openmpi-4.1.4", "n2"};
  EXPECT_EQ(pair_in({ours, own}), "here here-own");
  EXPECT_EQ(pair_in({own, ours}, "here-own"), "here here-own");
  EXPECT_EQ(pair_in({ours, third}), "here third") << "the only two of this host";
  EXPECT_EQ(pair_in({ours, own, third}, "here"), "here here-own") << "the name says it";
  EXPECT_EQ(pair_in({ours, own, third}), "") << "which system is meant is not said";
  EXPECT_EQ(pair_in({ours, other}), "");
  EXPECT_EQ(pair_in({ours, away}), "");
  EXPECT_EQ(pair_in({ours}, "here"), "");
}

TEST(SourceGain, IsATableAndJson) {
  const profile::Profile profile(profile_of({{"here", "portable", "openmpi-4.1.4", "n1"},
                                             {"here-own", "openmpi", "openmpi-4.1.4", "n1"}}),
                                 profile::OpenMode::kRead);
  SourceGains gains{*find_source_pair(profile, std::nullopt), {}};
  gains.collectives.push_back(*source_gain(
      surrogate::complete(profile::load_timings(profile, "here", Collective::kBcast)),
      surrogate::complete(profile::load_timings(profile, "here-own", Collective::kBcast))));
  const std::string text = source_gains_text(gains);
  EXPECT_THAT(text, HasSubstr("portable methods (here) beside openmpi-4.1.4's own (here-own)\n"));
  EXPECT_THAT(text, HasSubstr("  bcast                          all         1     2.000     4.000  "
                              "        2.000    100 (100)        0 (0)\n"));
  EXPECT_THAT(text, HasSubstr("the default was measured with each: 0 % apart in the median\n"));
  const Json json = source_gains_json(gains);
  EXPECT_EQ(json["collectives"][0]["all"]["gain"], 2.0);
  EXPECT_EQ(json["collectives"][0]["bands"][0]["figures"]["portable_certain"], 1);
}

}  // namespace
}  // namespace colltree::evaluate
