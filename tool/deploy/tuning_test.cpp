// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/tuning.h"

#include <gtest/gtest.h>

#include "evaluate/policy.h"
#include "model/model.h"
#include "profile/test_profile.h"

namespace colltree::deploy {
namespace {

std::string why(std::size_t disturbed, std::size_t of) {
  profile::Profile profile(fresh_path("disturbed.db"), profile::OpenMode::kWrite);
  std::vector<profile::Cell> cells;
  for (std::size_t i = 0; i < of; ++i) {
    cells.push_back(profile::cell(4, 1U << i, {"binomial", 0}, {1, 2}));
    if (i < disturbed) cells.back().reason = "others used 80 % of a core";
  }
  cells.push_back(profile::failed_cell(4, 1U << of, {"binomial", 0}, "crashed"));
  profile.record(profile.begin_campaign(profile::campaign("grig")), cells);
  return evaluate::why_undecided(profile, "grig");
}

TEST(Tuning, TimesThatWereMostlyDisturbedDecideNothing) {
  EXPECT_EQ(why(0, 4), "");
  EXPECT_EQ(why(2, 4), "") << "half of them may be right";
  EXPECT_EQ(
      why(3, 4),
      "3 of 4 cells were measured while others used the machine or ranks shared cores: "
      "these times decide nothing. Tune on idle nodes with a core for each rank; "
      "--retry disturbed measures these cells again, --foreign-load 0 takes the times as they "
      "are.");
}

// linear takes 10 us, the library's own choice 20 us.
Tuning tuning_of(const Method& deployed) {
  Tuning tuning;
  Timings timings{.system = "s", .provenance = "measured"};
  timings.methods = {{"linear", 0}, library_default()};
  for (const std::uint64_t bytes : {1, 1024}) {
    timings.instances.push_back({Collective::kBcast, 4, bytes});
    timings.time_us.push_back(10);
    timings.time_us.push_back(20);
    timings.default_us.push_back(20);
  }
  tuning.timings.push_back(timings);
  tuning.fitted.push_back({"bcast", "rules",
                           model::rules_model({"s", "measured", {Collective::kBcast}, 2},
                                              model::one_leaf(Collective::kBcast, deployed)),
                           0, true});
  return tuning;
}

TEST(Tuning, WhatDeploysNothingIsNotCalledToDeploy) {
  const auto detail = [](const Tuning& tuning) {
    return tuning.compare(tuning.timings.front()).rows.back().detail;
  };
  const Tuning something = tuning_of({"linear", 0});
  EXPECT_TRUE(something.deploys_anything());
  EXPECT_EQ(detail(something), "to deploy, 1 leaves");
  const Tuning nothing = tuning_of(library_default());
  EXPECT_FALSE(nothing.deploys_anything());
  EXPECT_EQ(detail(nothing), "the library's own choice everywhere");
}

}  // namespace
}  // namespace colltree::deploy
