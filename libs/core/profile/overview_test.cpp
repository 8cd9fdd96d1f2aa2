// SPDX-License-Identifier: BSD-3-Clause
#include "profile/overview.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "profile/test_profile.h"

namespace colltree::profile {
namespace {

std::vector<SystemOverview> two_systems(const std::string& file, std::uint64_t failures) {
  Profile profile(fresh_path(file), OpenMode::kWrite);
  CampaignInfo info = campaign("grig");
  info.uid = "0123456789abcdef";
  info.started_utc = "2026-11-21T08:52:00Z";
  info.colltree_version = "0.1.0";
  std::vector<Cell> cells = {cell(8, 1, {"linear", 0}, {1, 2}),
                             cell(4, 1024, {"default", std::nullopt}, {1})};
  for (std::uint64_t i = 0; i < failures; ++i) {
    cells.push_back(failed_cell(8, 2 + i, {"pipeline", 0}, "killed by signal 11"));
  }
  profile.record(profile.begin_campaign(info), cells);
  profile.begin_campaign(campaign("frodo"));
  return overview(profile);
}

TEST(Overview, Text) {
  const auto systems = two_systems("overview.db", 1);
  ASSERT_EQ(systems.size(), 2U);
  EXPECT_EQ(systems[0].system.name, "frodo");
  EXPECT_EQ(overview_text(systems[1]),
            "grig: simulated, smpi-3.32\n"
            "  campaign 01234567  2026-11-21T08:52:00Z  source portable  host node01  platform "
            "platforms/grig.xml  options {\"root\":0}  colltree 0.1.0\n"
            "  bcast: 3 instances, 2 methods and the default; cells: 2 ok, 1 failed, 0 cannot run; "
            "3 samples\n"
            "    communicator sizes 4..8 (2 sizes), message sizes 1B..1K (3 sizes)\n"
            "  without a time:\n"
            "    bcast Pipeline_0K on 8 ranks, 2B: failed: killed by signal 11\n");
}

TEST(Overview, LongListsAreCutInTextOnly) {
  const auto systems = two_systems("overview_long.db", 25);
  EXPECT_THAT(overview_text(systems[1]),
              ::testing::HasSubstr("    and 5 more; --json lists them all\n"));
  EXPECT_EQ(overview_json(systems[1])["without_time"].size(), 25U);
}

TEST(Overview, WhatCannotRunIsNoInstance) {
  Profile profile(fresh_path("overview_cannot_run.db"), OpenMode::kWrite);
  Cell refused = failed_cell(8, 2, {"pipeline", 0}, "Open MPI runs another algorithm here");
  refused.status = CellStatus::kCannotRun;
  refused.key.instance.nodes = 1;  // where ranks lie is known of it only
  profile.record(profile.begin_campaign(campaign("grig")),
                 std::vector{refused, cell(8, 2, {"linear", 0}, {1})});
  EXPECT_THAT(overview_text(overview(profile)[0]), ::testing::HasSubstr("bcast: 1 instances, "));
}

TEST(Overview, CellsMeasuredWhileOthersUsedTheMachineAreListed) {
  Profile profile(fresh_path("overview_disturbed.db"), OpenMode::kWrite);
  Cell disturbed = cell(8, 1024, {"binomial", 0}, {1, 2});
  disturbed.reason = "others used 42 % of the cores";
  profile.record(profile.begin_campaign(campaign("grig")),
                 std::vector{disturbed, cell(8, 1024, {"linear", 0}, {1})});
  const std::vector<SystemOverview> systems = overview(profile);
  EXPECT_THAT(
      overview_text(systems[0]),
      ::testing::EndsWith("  measured while others used the machine or ranks shared cores:\n"
                          "    bcast Binomial_0K on 8 ranks, 1K: others used 42 % of the "
                          "cores\n"));
  const Json json = overview_json(systems[0]);
  ASSERT_EQ(json["disturbed"].size(), 1U);
  EXPECT_EQ(json["disturbed"][0]["method"], "Binomial_0K");
  EXPECT_TRUE(json["without_time"].empty());
}

TEST(Overview, Json) {
  const Json json = overview_json(two_systems("overview_json.db", 1)[1]);
  EXPECT_EQ(json["system"], "grig");
  EXPECT_EQ(json["campaigns"][0]["options"]["root"], 0);
  EXPECT_EQ(json["collectives"][0]["collective"], "bcast");
  EXPECT_EQ(json["collectives"][0]["failed"], 1);
  EXPECT_EQ(json["collectives"][0]["communicator_sizes"], (std::vector<int>{4, 8}));
  EXPECT_EQ(json["without_time"][0]["reason"], "killed by signal 11");
}

}  // namespace
}  // namespace colltree::profile
