// SPDX-License-Identifier: BSD-3-Clause
#include "profile/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"
#include "base/input.h"
#include "profile/test_profile.h"

namespace colltree::profile {
namespace {

using ::testing::ElementsAre;

TEST(Profile, WhatIsRecordedIsReadBack) {
  const auto path = fresh_path("read_back.db");
  const Cell ok = cell(8, 1024, {"binomial", 0}, {1.5, 2.5});
  const Cell failed = failed_cell(8, 1024, {"pipeline", 1024}, "killed by signal 11");
  const Cell foreign = cell(8, 1024, {"basic_linear", std::nullopt}, {3});
  {
    Profile profile(path, OpenMode::kWrite);
    const CampaignId id = profile.begin_campaign(campaign("grig"));
    profile.record(id, std::vector{ok, failed, foreign});
  }
  const Profile profile(path, OpenMode::kRead);
  ASSERT_EQ(profile.campaigns().size(), 1U);
  const StoredCampaign stored = profile.campaigns().front();
  EXPECT_EQ(stored.info.system, campaign("grig").system);
  EXPECT_EQ(stored.info.host, "node01");
  EXPECT_EQ(stored.info.started_utc.size(), 20U);
  const std::vector<Cell> cells = profile.cells(stored.id);
  ASSERT_EQ(cells.size(), 3U);
  EXPECT_EQ(cells[0].key, foreign.key);  // by algorithm
  EXPECT_EQ(cells[1].key, ok.key);
  EXPECT_THAT(cells[1].samples, ElementsAre(Sample{0, 1.5}, Sample{1, 2.5}));
  EXPECT_EQ(cells[2].status, CellStatus::kFailed);
  EXPECT_EQ(cells[2].reason, "killed by signal 11");
  EXPECT_THAT(profile.collectives("grig"), ElementsAre(Collective::kBcast));
}

TEST(Profile, TheSameConfigurationContinuesItsCampaign) {
  const auto path = fresh_path("continue.db");
  const Cell one = cell(8, 1024, {"binomial", 0}, {1.5});
  const Cell two = failed_cell(8, 1024, {"binomial", std::nullopt}, "no");
  CampaignId first = 0;
  {
    Profile profile(path, OpenMode::kWrite);
    first = profile.begin_campaign(campaign("grig"));
    profile.record(first, std::vector{one, two});
  }
  Profile profile(path, OpenMode::kWrite);
  EXPECT_EQ(profile.begin_campaign(campaign("grig")), first);
  EXPECT_THAT(profile.finished_cells(first), ::testing::UnorderedElementsAre(one.key, two.key));

  CampaignInfo changed = campaign("grig");
  changed.config_hash = "other";
  const CampaignId second = profile.begin_campaign(changed);
  EXPECT_NE(second, first);
  EXPECT_TRUE(profile.finished_cells(second).empty());
}

TEST(Profile, RecordingAgainChangesNothingAndOkStaysOk) {
  Profile profile(fresh_path("again.db"), OpenMode::kWrite);
  const CampaignId id = profile.begin_campaign(campaign("grig"));
  const Cell twice = cell(8, 1024, {"binomial", 0}, {1.5, 2.5});
  profile.record(id, std::vector{twice});
  profile.record(id, std::vector{twice});
  profile.record(id, std::vector{failed_cell(8, 1024, {"binomial", 0}, "late failure")});
  ASSERT_EQ(profile.cells(id).size(), 1U);
  EXPECT_EQ(profile.cells(id)[0].status, CellStatus::kOk);
  EXPECT_EQ(profile.cells(id)[0].samples.size(), 2U);

  // Equal aggregates within one record are repeats, not the same sample.
  Cell repeats = cell(8, 2048, {"binomial", 0}, {});
  repeats.samples = {{Sample::kAggregate, 3.0}, {Sample::kAggregate, 3.0}};
  profile.record(id, std::vector{repeats});
  profile.record(id, std::vector{repeats});
  EXPECT_EQ(profile.cells(id)[1].samples.size(), 2U);
}

TEST(Profile, ForgottenFailuresAreMeasuredAgain) {
  Profile profile(fresh_path("forget.db"), OpenMode::kWrite);
  const CampaignId id = profile.begin_campaign(campaign("grig"));
  const Cell ok = cell(8, 1024, {"binomial", 0}, {1.5});
  profile.record(id, std::vector{ok, failed_cell(8, 1024, {"linear", 0}, "no")});
  profile.forget_failed(id);
  EXPECT_THAT(profile.finished_cells(id), ElementsAre(ok.key));
}

TEST(Profile, ForgetTakesTheNamedCellsOfOneCampaignOnly) {
  Profile profile(fresh_path("forget_named.db"), OpenMode::kWrite);
  const CampaignId grig = profile.begin_campaign(campaign("grig"));
  const CampaignId frodo = profile.begin_campaign(campaign("frodo"));
  const Cell one = cell(8, 1024, {"binomial", 0}, {1.5, 2.5});
  const Cell by_default = cell(8, 1024, {"default", std::nullopt}, {1.5});
  profile.record(grig, std::vector{one, by_default});
  profile.record(frodo, std::vector{one, by_default});
  profile.forget(grig, std::vector{by_default.key});
  EXPECT_THAT(profile.finished_cells(grig), ElementsAre(one.key));
  EXPECT_EQ(profile.finished_cells(frodo).size(), 2U);
  EXPECT_EQ(profile.cells(grig)[0].samples.size(), 2U);
}

TEST(Profile, ATransactionIsAllOrNothing) {
  Profile profile(fresh_path("transaction.db"), OpenMode::kWrite);
  EXPECT_THROW(profile.in_transaction([&] {
    const CampaignId id = profile.begin_campaign(campaign("grig"));
    profile.record(id, std::vector{cell(8, 1, {"linear", 0}, {1})});
    throw Error("stop");
  }),
               Error);
  EXPECT_TRUE(profile.systems().empty());
  profile.begin_campaign(campaign("grig"));  // a next transaction works
  EXPECT_EQ(profile.systems().size(), 1U);
}

TEST(Profile, SystemsAreNeverMixed) {
  const auto path = fresh_path("mixed.db");
  Profile profile(path, OpenMode::kWrite);
  profile.begin_campaign(campaign("grig"));
  const auto message = [&](auto change) {
    CampaignInfo info = campaign("grig");
    change(info.system);
    return error_of([&] { profile.begin_campaign(info); });
  };
  const std::string head = path.string() + ": system 'grig' stands for another system (";
  const std::string tail = "), which must not be mixed; give another --system NAME or another file";
  EXPECT_EQ(message([](SystemInfo& s) { s.provenance = kProvenanceMeasured; }),
            head + "timings: simulated, now measured" + tail);
  EXPECT_EQ(message([](SystemInfo& s) { s.mpi = "mpich-4.0"; }),
            head + "MPI library: smpi-3.32, now mpich-4.0" + tail);
  EXPECT_EQ(message([](SystemInfo& s) { s.platform_hash = "bb"; }),
            head + "platform file with hash: aa, now bb" + tail);
  EXPECT_EQ(message([](SystemInfo& s) { s.noise = "seed=1"; }),
            head + "noise: none, now seed=1" + tail);
  EXPECT_EQ(message([](SystemInfo& s) { s.name = "a,b"; }),
            "'a,b' is not a system name: it must not be empty, nor hold commas, quotes or line "
            "ends");
  EXPECT_EQ(profile.campaigns().size(), 1U);
}

TEST(Profile, RequireSystemListsThem) {
  const auto path = fresh_path("systems.db");
  Profile profile(path, OpenMode::kWrite);
  EXPECT_EQ(error_of([&] { profile.require_system({}); }), path.string() + ": holds no timings");
  profile.begin_campaign(campaign("grig"));
  EXPECT_EQ(profile.require_system({}).name, "grig");
  profile.begin_campaign(campaign("frodo"));
  EXPECT_EQ(profile.require_system("grig").name, "grig");
  EXPECT_EQ(error_of([&] { profile.require_system({}); }),
            path.string() + ": holds several systems (frodo, grig); choose one with --system NAME");
  EXPECT_EQ(error_of([&] { profile.require_system("nano"); }),
            path.string() + ": has no system 'nano'; it holds frodo, grig");
}

TEST(Profile, WhatIsNoTimeIsRefused) {
  Profile profile(fresh_path("no_time.db"), OpenMode::kWrite);
  const CampaignId id = profile.begin_campaign(campaign("grig"));
  for (const double bad : {0.0, -1.0, std::nan(""), 1e-7, 1e16, 1e307}) {
    EXPECT_THROW(profile.record(id, std::vector{cell(8, 1, {"linear", 0}, {bad})}), Error) << bad;
  }
  EXPECT_EQ(error_of([&] {
              profile.record(id, std::vector{cell(8, 1, {"linear", 0}, {-1})});
            }),
            "bcast Linear_0K of 1 B on 8 ranks: -1 us is not a time from 1e-06 to 1e+15");
  EXPECT_TRUE(profile.cells(id).empty());
}

TEST(ProfileFile, ErrorsNameTheFileAndTheRemedy) {
  const auto path = fresh_path("bad.db");
  const auto reading = [&] { return error_of([&] { Profile(path, OpenMode::kRead); }); };
  const auto writing = [](const std::filesystem::path& where) {
    return error_of([&] { Profile(where, OpenMode::kWrite); });
  };
  const std::string name = path.string();
  EXPECT_EQ(reading(), name + ": no such file");
  write_file(path, "");
  EXPECT_EQ(reading(), name + ": is not a colltree profile but an empty file");
  write_file(path, "system,mpi,collective\n" + std::string(4096, 'x'));
  EXPECT_EQ(reading(), name + ": is not a colltree profile (not a SQLite database)");
  EXPECT_EQ(writing(path), name + ": is not a colltree profile (not a SQLite database)");
  EXPECT_EQ(writing("/no/such/P.db"),
            "/no/such/P.db: cannot write: no such directory; make it first or name another file");
  EXPECT_EQ(writing("/"), "/: is a directory, not a profile");
}

TEST(ProfileFile, AnotherDatabaseIsLeftAlone) {
  const auto path = fresh_path("other.db");
  SQLite::Database(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec("CREATE TABLE photos (id INTEGER)");
  const std::string before = read_file(path);
  EXPECT_EQ(error_of([&] { Profile(path, OpenMode::kWrite); }),
            path.string() + ": is not a colltree profile but another SQLite database");
  EXPECT_EQ(read_file(path), before);
}

TEST(ProfileFile, AnotherSchemaIsRefused) {
  const auto path = fresh_path("newer.db");
  { Profile(path, OpenMode::kWrite); }
  const std::string older =
      " is older than any that was released (this colltree reads 3): measure or import again";
  const std::pair<int, std::string> cases[] = {
      {7, "was written by a newer colltree (schema 7, this one reads 3): update colltree"},
      {2, "schema 2" + older},
      {-1, "schema -1" + older}};
  for (const auto& [version, said] : cases) {
    SQLite::Database(path.string(), SQLite::OPEN_READWRITE)
        .exec("PRAGMA user_version = " + std::to_string(version));
    const std::string before = read_file(path);
    for (const OpenMode mode : {OpenMode::kRead, OpenMode::kWrite}) {
      EXPECT_EQ(error_of([&] { Profile(path, mode); }), path.string() + ": " + said);
    }
    EXPECT_EQ(read_file(path), before);
  }
}

TEST(ProfileFile, AnEmptyFileBecomesAProfile) {
  const auto path = fresh_path("empty.db");
  write_file(path, "");
  EXPECT_TRUE(Profile(path, OpenMode::kWrite).systems().empty());
  EXPECT_TRUE(Profile(path, OpenMode::kRead).systems().empty());
}

TEST(ProfileFile, ALockedFileSaysSo) {
  const auto path = fresh_path("locked.db");
  Profile holder(path, OpenMode::kWrite);
  Profile waiter(path, OpenMode::kWrite);
  waiter.database().setBusyTimeout(0);
  holder.in_transaction([&] {
    EXPECT_EQ(error_of([&] { waiter.begin_campaign(campaign("grig")); }),
              path.string() +
                  ": is locked by another process (a running campaign?); wait for it or name "
                  "another file");
  });
  waiter.begin_campaign(campaign("grig"));
}

TEST(ProfileFile, AFullDiskKeepsWhatWasFinished) {
  const auto path = fresh_path("full.db");
  Profile profile(path, OpenMode::kWrite);
  const CampaignId id = profile.begin_campaign(campaign("grig"));
  const Cell kept = cell(8, 1, {"linear", 0}, {1});
  profile.record(id, std::vector{kept});
  const int pages = profile.database().execAndGet("PRAGMA page_count").getInt();
  profile.database().exec("PRAGMA max_page_count = " + std::to_string(pages));
  std::vector<Cell> many;
  for (std::uint64_t bytes = 2; bytes < 5000; ++bytes) {
    many.push_back(cell(8, bytes, {"linear", 0}, {1}));
  }
  EXPECT_EQ(error_of([&] { profile.record(id, many); }),
            path.string() +
                ": disk full; free space and rerun the same command, finished cells are kept");
  EXPECT_THAT(profile.finished_cells(id), ElementsAre(kept.key));
  profile.database().exec("PRAGMA max_page_count = 100000");
  profile.record(id, many);
  EXPECT_EQ(profile.finished_cells(id).size(), many.size() + 1);
}

}  // namespace
}  // namespace colltree::profile
