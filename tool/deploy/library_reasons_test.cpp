// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/library_reasons.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace colltree::deploy {

namespace {

protocol::Witnessed bcast_by(const std::string& component) {
  protocol::Witnessed call;
  call.cell = {{Collective::kBcast, 4, 1024}, library_default()};
  call.component = component;
  return call;
}

const LibraryVariables kSite = {
    {"coll_tuned_priority", "30", ""},
    {"coll_basic_priority", "60", "the file /etc/openmpi/openmpi-mca-params.conf"},
    {"coll_self_priority", "10", ""},
    {"coll_tuned_bcast_algorithm", "3", "the environment"},
    {"coll_tuned_reduce_algorithm", "0", "the environment"}};

TEST(LibraryReasons, AComponentAboveTunedIsNamedWithWhoPutItThere) {
  EXPECT_EQ(other_component(bcast_by("basic"), kSite),
            "coll/basic carries out bcast: its priority 60 (coll_basic_priority, set by the file "
            "/etc/openmpi/openmpi-mca-params.conf) is above coll/tuned's 30 (coll_tuned_priority, "
            "by default)");
}

TEST(LibraryReasons, AComponentBelowTunedHasWhatTunedLeaves) {
  EXPECT_EQ(other_component(bcast_by("self"), kSite),
            "coll/self carries out bcast: coll/tuned leaves it to others where nothing is said for "
            "it");
}

TEST(LibraryReasons, TunedItselfIsNoReason) {
  EXPECT_EQ(other_component(bcast_by("tuned"), kSite), "");
  EXPECT_EQ(other_component(bcast_by(""), kSite), "");
}

TEST(LibraryReasons, AForcedAlgorithmIsNamedWithItsMeaning) {
  const protocol::LibraryVariable* forced =
      forced_algorithm(Library::kOpenmpi, Collective::kBcast, kSite);
  ASSERT_NE(forced, nullptr);
  EXPECT_EQ(variable_text(Library::kOpenmpi, Collective::kBcast, *forced),
            "coll_tuned_bcast_algorithm = 3 (pipeline), set by the environment");
}

TEST(LibraryReasons, WhatSaysAutomaticForcesNothing) {
  EXPECT_EQ(forced_algorithm(Library::kOpenmpi, Collective::kReduce, kSite), nullptr);
  EXPECT_EQ(forced_algorithm(Library::kOpenmpi, Collective::kBarrier, kSite), nullptr);
  EXPECT_EQ(forced_algorithm(Library::kMpich, Collective::kBcast,
                             {{"MPIR_CVAR_BCAST_INTRA_ALGORITHM", "auto", "the environment"}}),
            nullptr);
}

TEST(LibraryReasons, VariablesOfOtherCollectivesDoNotConcernACall) {
  for (const char* variable :
       {"coll_basic_bcast_x", "coll_tuned_bcast_algorithm", "coll_sm_priority",
        "MPIR_CVAR_IBCAST_INTRA_ALGORITHM", "MPIR_CVAR_DEVICE_COLLECTIVES"})
    EXPECT_TRUE(concerns(bcast_by("basic"), variable)) << variable;
  for (const char* variable : {"coll_tuned_reduce_algorithm", "coll_sm_bcast_x", "MPIR_CVAR_CH4_X"})
    EXPECT_FALSE(concerns(bcast_by("basic"), variable)) << variable;
}

TEST(LibraryReasons, BothKindsStandAboveAFile) {
  EXPECT_EQ(overriding(Library::kOpenmpi, bcast_by("basic"), kSite).size(), 2U);
  EXPECT_EQ(overriding(Library::kOpenmpi, bcast_by("tuned"), kSite),
            std::vector<std::string>{
                "coll_tuned_bcast_algorithm = 3 (pipeline), set by the environment"});
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// bcast on 2 and 8 ranks; `han_us`: of HAN's own method on 8.
Timings bcast(double han_us) {
  Timings timings;
  timings.collective = Collective::kBcast;
  timings.methods = {library_default(), {"binomial", 0}, {"han_simple", std::nullopt}};
  timings.instances = {{Collective::kBcast, 2, 64}, {Collective::kBcast, 8, 64}};
  timings.time_us = {1, 1, kNoTime, 3, 4, han_us};
  return timings;
}

TEST(Deciders, HanIsWhereItsMethodsHaveTimes) {
  EXPECT_THAT(who_decides({bcast(2)}), ElementsAre("bcast: coll/han on 8 ranks, coll/tuned on 2"));
}

TEST(HanLevels, NameTheComponentOfEach) {
  EXPECT_EQ(han_levels(Collective::kBcast, {{"coll_han_bcast_up_module", 1},
                                            {"coll_han_bcast_low_module", 0},
                                            {"coll_han_reduce_low_module", 1}}),
            "coll/han's levels: between nodes coll/adapt (coll_han_bcast_up_module = 1), inside a "
            "node coll/tuned (coll_han_bcast_low_module = 0)");
  EXPECT_EQ(han_levels(Collective::kBcast, {{"coll_han_bcast_up_module", 7}}),
            "coll/han's levels: between nodes another component (coll_han_bcast_up_module = 7)");
  EXPECT_EQ(han_levels(Collective::kScan, {}), "");
}

TEST(Deciders, WithoutHanNobodyIsNamed) { EXPECT_THAT(who_decides({bcast(kNoTime)}), IsEmpty()); }

}  // namespace

}  // namespace colltree::deploy
