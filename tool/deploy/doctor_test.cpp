// SPDX-License-Identifier: BSD-3-Clause
// What `verify doctor` measured comes back into the profile of `tune`.
#include "deploy/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/expectation.h"
#include "model/fitter.h"
#include "profile/load_timings.h"
#include "profile/test_profile.h"
#include "surrogate/complete.h"

namespace colltree::deploy {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

const Method kDoctored{"binomial", 0};
const char* const kMpi = "openmpi-4.1.4";

profile::CampaignInfo tuned(const std::string& system = "cluster") {
  profile::CampaignInfo info = profile::campaign(system);
  info.system = {system, profile::kProvenanceMeasured, kMpi, "", ""};
  return info;
}

// Of 16 sizes on 8 ranks of one node; 0 us: was not measured.
std::vector<profile::Cell> cells(double fast_us, double default_us, std::uint64_t nodes = 1) {
  std::vector<profile::Cell> all;
  for (std::uint64_t bytes = 1; bytes < 1 << 16; bytes *= 2) {
    for (const auto& [method, us] :
         {std::pair(kDoctored, fast_us), std::pair(library_default(), default_us)}) {
      if (us == 0) continue;
      const double noise = 1 + 0.001 * static_cast<double>(bytes % 7);
      all.push_back(profile::cell(8, bytes, method, std::vector<double>(12, us * noise)));
      all.back().key.instance.nodes = nodes;
      all.back().key.instance.ranks_per_node = 8 / nodes;
    }
  }
  return all;
}

std::filesystem::path tuned_profile(double fast_us, double default_us) {
  const auto path = fresh_path("tuned.db");
  profile::Profile profile(path, profile::OpenMode::kWrite);
  profile.record(profile.begin_campaign(tuned()), cells(fast_us, default_us));
  return path;
}

Timings timings_of(const std::filesystem::path& path) {
  const profile::Profile profile(path, profile::OpenMode::kRead);
  return surrogate::complete(profile::load_timings(profile, "cluster", Collective::kBcast));
}

constexpr auto kHolds = evaluate::Standing::kHolds;
constexpr auto kDrifted = evaluate::Standing::kDrifted;

Method fitted_at(const Timings& timings, std::uint64_t bytes) {
  return model::parse_fitter(model::deployed_fitter(1))
      .fit({timings})
      .decide({Collective::kBcast, 8, bytes, 1, 8});
}

TEST(Doctor, WhatItFindsSlowerGoesBackWhenFittedAgain) {
  const auto path = tuned_profile(100, 130);
  EXPECT_EQ(fitted_at(timings_of(path), 64), kDoctored);
  const Examination slower{.standing = kDrifted, .rounds = 12, .cells = cells(200, 130)};
  EXPECT_EQ(store_session(path, slower, "portable", kMpi),
            path.string() +
                ": 32 of 32 cells are stored as another session of cluster; 'tune' and 'fit' use "
                "it");
  const Timings timings = timings_of(path);
  EXPECT_EQ(fitted_at(timings, 64), library_default());
  ASSERT_TRUE(timings.session_deviation);
  EXPECT_GT(*timings.session_deviation, 0.2);
  const model::RuleTree fast = model::one_leaf(Collective::kBcast, kDoctored);
  EXPECT_TRUE(model::expectation_of(fast, {timings}).session_measured);
}

TEST(Doctor, WhatItFindsAsItWasStays) {
  const auto path = tuned_profile(100, 130);
  store_session(path, {.standing = kHolds, .rounds = 12, .cells = cells(101, 130)}, "portable",
                kMpi);
  EXPECT_EQ(fitted_at(timings_of(path), 64), kDoctored);
  EXPECT_LT(timings_of(path).session_deviation.value(), 0.02);
}

TEST(Doctor, EachTimeIsASessionOfItsOwnAndChangesNoOther) {
  const auto path = tuned_profile(100, 130);
  std::vector<profile::Cell> before;
  {
    const profile::Profile profile(path, profile::OpenMode::kRead);
    before = profile.cells(profile.campaigns().front().id);
  }
  store_session(path, {.standing = kHolds, .rounds = 12, .cells = cells(101, 130)}, "portable",
                kMpi);
  const profile::Profile profile(path, profile::OpenMode::kWrite);
  for (const auto& [id, info] : profile.campaigns()) {
    if (info.options != tuned().options) {
      EXPECT_THAT(info.options, HasSubstr(R"("by":"verify doctor")"));
      EXPECT_THAT(info.options, HasSubstr(info.started_utc));
      EXPECT_EQ(info.system, tuned().system);
      continue;
    }
    ASSERT_EQ(profile.cells(id).size(), before.size());
    EXPECT_EQ(profile.cells(id).front().samples.size(), 12U);
    EXPECT_EQ(profile.finished_cells(id).size(), before.size()) << "is not continued by another";
  }
  EXPECT_EQ(profile.campaigns().size(), 2U);
}

TEST(Doctor, StoresNothingThatDoesNotBelongThere) {
  const auto path = tuned_profile(100, 130);
  const std::string said = path.string() + ": these times are not stored: ";
  const Examination here{.standing = kHolds, .rounds = 12, .cells = cells(100, 130)};
  Examination changed = here;
  changed.changed = {"x was 0, is 1"};
  EXPECT_EQ(store_session(path, changed, "portable", kMpi),
            said + "the library or its settings have changed since it was tuned");
  Examination unclear = here;
  unclear.standing = evaluate::Standing::kCannotTell;
  EXPECT_EQ(store_session(path, unclear, "portable", kMpi),
            said + "they vary too much to tell whether it still fits");
  EXPECT_EQ(store_session(path, here, "openmpi", kMpi),
            said + "not one system with openmpi methods was measured under openmpi-4.1.4");
  EXPECT_EQ(store_session(path, here, "portable", "openmpi-5.0.0"),
            said + "not one system with portable methods was measured under openmpi-5.0.0");
  EXPECT_EQ(
      store_session(path, {.standing = kHolds, .cells = cells(100, 130, 2)}, "portable", kMpi),
      said + "cluster has none of these instances, placed alike");
  profile::Profile profile(path, profile::OpenMode::kWrite);
  EXPECT_EQ(profile.campaigns().size(), 1U);
  profile.record(profile.begin_campaign(tuned("second")), cells(100, 130));
  EXPECT_THAT(store_session(path, here, "portable", kMpi), EndsWith("under openmpi-4.1.4"));
}

TEST(Doctor, NeverJoinsASimulatedSystem) {
  const auto path = fresh_path("simulated.db");
  profile::CampaignInfo simulated = profile::campaign("cluster");
  simulated.system.mpi = kMpi;
  profile::Profile profile(path, profile::OpenMode::kWrite);
  profile.record(profile.begin_campaign(simulated), cells(100, 130));
  EXPECT_THAT(store_session(path, {.standing = kHolds, .cells = cells(100, 130)}, "portable", kMpi),
              EndsWith("not one system with portable methods was measured under openmpi-4.1.4"));
}

}  // namespace
}  // namespace colltree::deploy
