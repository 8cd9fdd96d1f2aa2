// SPDX-License-Identifier: BSD-3-Clause
// What a profile of several sessions says of how far these differ.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "base/random.h"
#include "profile/load_timings.h"
#include "profile/test_profile.h"

namespace colltree::profile {
namespace {

// Of three methods at 20 sizes. Deviations of log time: of a sample, of a method in a session, of
// all in a session.
struct Spread {
  double sample = 0;
  double method = 0;
  double all = 0;
};
std::vector<Cell> session(const Spread& spread, std::uint64_t seed, std::uint64_t most_bytes) {
  SeededRandom random(seed);
  std::vector<Cell> cells;
  for (std::uint64_t bytes = 1; bytes <= most_bytes; bytes *= 2) {
    const double all = spread.all * random.normal();
    for (const char* method : {"binomial", "chain", "linear"}) {
      const double level = all + spread.method * random.normal();
      std::vector<double> samples_us;
      for (int i = 0; i < 9; ++i)
        samples_us.push_back(100 * std::exp(level + spread.sample * random.normal()));
      cells.push_back(cell(8, bytes, {method, 0}, samples_us));
    }
  }
  return cells;
}

Timings sessions(const Spread& spread, std::uint64_t count, std::uint64_t seed,
                 std::uint64_t most_bytes = 1 << 19, const LoadOptions& options = {}) {
  CampaignInfo machine = campaign("cluster");
  machine.system.provenance = kProvenanceMeasured;
  Profile profile(fresh_path("sessions.db"), OpenMode::kWrite);
  for (std::uint64_t i = 0; i < count; ++i) {
    machine.uid = std::to_string(i);
    profile.record(profile.begin_campaign(machine), session(spread, 100 * seed + i, most_bytes));
  }
  return load_timings(profile, "cluster", Collective::kBcast, options).timings;
}

double deviation(const Spread& spread) {
  double sum = 0;
  constexpr std::uint64_t kTimes = 4;
  for (std::uint64_t seed = 1; seed <= kTimes; ++seed)
    sum += sessions(spread, 3, seed).session_deviation.value();
  return sum / kTimes;
}

TEST(SessionDeviation, IsThatOfTheMethods) {
  EXPECT_NEAR(deviation({.sample = 0.01, .method = 0.1}), 0.1, 0.03);
  EXPECT_NEAR(deviation({.sample = 0.01, .method = 0.1, .all = 0.5}), 0.1, 0.03);
  EXPECT_LT(deviation({.sample = 0.01, .all = 0.5}), 0.01);
  EXPECT_LT(deviation({.sample = 0.1}), 0.03);
}

TEST(SessionDeviation, IsNotKnownOfOneSessionOrFewPoints) {
  EXPECT_FALSE(sessions({.method = 0.1}, 1, 1).session_deviation);
  EXPECT_FALSE(sessions({.method = 0.1}, 2, 1, 1 << 5).session_deviation);
}

TEST(SessionDeviation, WidensTheIntervals) {
  const Timings quiet = sessions({.sample = 0.001}, 2, 1);
  const Timings other = sessions({.sample = 0.001, .method = 0.2}, 2, 1);
  const auto width = [](const Timings& timings) {
    const Interval interval = timings.time_at(0, 0).interval().value();
    return std::log(interval.high / interval.low);
  };
  EXPECT_LT(width(quiet), 0.05);
  EXPECT_GT(width(other), 0.3);
}

// Each method in jobs of its own: nothing that the methods of a session have in common cancels.
Timings jobs_of_one_method(double deviation, std::uint64_t jobs) {
  CampaignInfo machine = campaign("cluster");
  machine.system.provenance = kProvenanceImported;
  Profile profile(fresh_path("jobs.db"), OpenMode::kWrite);
  SeededRandom random(1);
  for (std::uint64_t job = 0; job < jobs; ++job) {
    for (const char* method : {"binomial", "chain", "linear"}) {
      machine.uid = method + std::to_string(job);
      std::vector<Cell> cells;
      for (std::uint64_t bytes = 1; bytes <= 1 << 19; bytes *= 2)
        cells.push_back(cell(8, bytes, {method, 0}, {100 * std::exp(deviation * random.normal())}));
      profile.record(profile.begin_campaign(machine), cells);
    }
  }
  return load_timings(profile, "cluster", Collective::kBcast).timings;
}

TEST(Jobs, DifferByWhatRepeatsSayOrAreNotKnown) {
  const Timings repeated = jobs_of_one_method(0.2, 3);
  EXPECT_EQ(repeated.jobs, Jobs::kRepeated);
  EXPECT_NEAR(repeated.session_deviation.value(), 0.2, 0.05);
  const Timings once = jobs_of_one_method(0.2, 1);
  EXPECT_EQ(once.jobs, Jobs::kNotKnown);
  EXPECT_FALSE(once.session_deviation);
  EXPECT_EQ(sessions({.method = 0.1}, 1, 1).jobs, Jobs::kShared)
      << "a campaign measures methods in turns in one job";
}

// The second session has a fifth of the samples, and counts as much.
TEST(Sessions, CountAlikeHoweverManySamplesTheyHave) {
  const auto time_of = [](const char* provenance) {
    CampaignInfo machine = campaign("cluster");
    machine.system.provenance = provenance;
    Profile profile(fresh_path("alike.db"), OpenMode::kWrite);
    machine.config_hash = "first";
    profile.record(profile.begin_campaign(machine),
                   std::vector{cell(8, 1, {"linear", 0}, std::vector<double>(10, 100))});
    machine.config_hash = "second";
    profile.record(profile.begin_campaign(machine),
                   std::vector{cell(8, 1, {"linear", 0}, {150, 150})});
    return load_timings(profile, "cluster", Collective::kBcast).timings.time_at(0, 0);
  };
  EXPECT_EQ(time_of(kProvenanceMeasured).known_us(), 125);
  EXPECT_LE(time_of(kProvenanceMeasured).interval()->low, 125);
  EXPECT_GE(time_of(kProvenanceMeasured).interval()->high, 125);
  EXPECT_EQ(time_of(kProvenanceSimulated).known_us(), 100) << "of one configuration, pooled";
}

}  // namespace
}  // namespace colltree::profile
