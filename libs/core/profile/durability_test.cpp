// SPDX-License-Identifier: BSD-3-Clause
// A campaign that is killed, or whose disk is full, continues to the profile of an undisturbed one.
#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <optional>
#include <utility>

#include "base/input.h"
#include "profile/import.h"
#include "profile/profile.h"
#include "profile/test_profile.h"

namespace colltree::profile {
namespace {

constexpr std::uint64_t kCellCount = 300;
constexpr std::size_t kBatch = 10;

Cell cell_number(std::uint64_t i) {
  const auto time_us = static_cast<double>(i + 1);
  return cell(2 + i % 7, i, {"binomial", 1024 * (i % 3)}, {time_us, time_us + 0.1, time_us + 0.2});
}

// Records what is missing, ten cells a transaction. After each it tells the parent and waits for
// its answer: on a busy machine the campaign would else be at its end before the parent's turn.
void run_campaign(const std::filesystem::path& path, int tell) {
  Profile profile(path, OpenMode::kWrite);
  const CampaignId id = profile.begin_campaign(campaign("grig"));
  const std::set<CellKey> finished = profile.finished_cells(id);
  std::vector<Cell> batch;
  const auto flush = [&] {
    profile.record(id, batch);
    batch.clear();
    char answer = 0;
    if (tell >= 0 && (::write(tell, ".", 1) != 1 || ::read(tell, &answer, 1) != 1)) ::_exit(3);
  };
  for (std::uint64_t i = 0; i < kCellCount; ++i) {
    const Cell next = cell_number(i);
    if (finished.contains(next.key)) continue;
    batch.push_back(next);
    if (batch.size() == kBatch) flush();
  }
  flush();
}

std::string exported(const std::filesystem::path& path) {
  return export_csv(Profile(path, OpenMode::kRead));
}

std::string undisturbed() {
  const auto path = fresh_path("undisturbed.db");
  run_campaign(path, -1);
  return exported(path);
}

// Kills the child with SIGKILL after it reported `batches` commits, during the next one.
void kill_after(const std::filesystem::path& path, int batches) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    run_campaign(path, ends[1]);
    ::_exit(0);
  }
  ::close(ends[1]);
  char report = 0;
  for (int i = 0; i < batches; ++i) {
    ASSERT_EQ(::read(ends[0], &report, 1), 1);
    ASSERT_EQ(::write(ends[0], ".", 1), 1);
  }
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(ends[0]);
  ASSERT_TRUE(WIFSIGNALED(status)) << "the campaign ended before it was killed";
}

std::size_t finished_count(const std::filesystem::path& path) {
  Profile profile(path, OpenMode::kRead);
  return profile.cells(profile.campaigns().front().id).size();
}

TEST(Durability, KilledAtAnyMomentItContinues) {
  const auto path = fresh_path("killed.db");
  std::size_t reported = 0;
  for (const int batches : {1, 3, 8, 5}) {
    kill_after(path, batches);
    reported += static_cast<std::size_t>(batches) * kBatch;
    // Whatever was reported is kept, in whole batches; the open one may be there or not.
    const std::size_t kept = finished_count(path);
    EXPECT_GE(kept, reported);
    EXPECT_EQ(kept % kBatch, 0U);
    reported = kept;
  }
  EXPECT_LT(reported, kCellCount);
  run_campaign(path, -1);
  EXPECT_EQ(finished_count(path), kCellCount);
  EXPECT_EQ(exported(path), undisturbed());
  EXPECT_EQ(Profile(path, OpenMode::kRead).campaigns().size(), 1U);
}

TEST(Durability, AHotJournalIsRolledBackByAReader) {
  const auto path = fresh_path("journal.db");
  run_campaign(path, -1);
  const std::string before = exported(path);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Profile profile(path, OpenMode::kWrite);
    profile.database().exec("PRAGMA cache_size = 1");  // spills half a transaction into the file
    profile.in_transaction([&] {
      const CampaignId id = profile.begin_campaign(campaign("other"));
      std::vector<Cell> many;
      for (std::uint64_t i = 0; i < 5000; ++i) many.push_back(cell_number(i));
      profile.record(id, many);
      ::raise(SIGKILL);
    });
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_TRUE(std::filesystem::exists(path.string() + "-journal"));
  EXPECT_EQ(exported(path), before);
}

TEST(Durability, AFileSizeLimitKeepsWhatWasFinished) {
  const auto path = fresh_path("limited.db");
  const auto report = fresh_path("limited.txt");
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{56 * 1024, 56 * 1024};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::string error = error_of([&] { run_campaign(path, -1); });
    std::FILE* file = std::fopen(report.c_str(), "w");
    std::fputs(error.c_str(), file);
    std::fclose(file);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(read_file(report), path.string() +
                                   ": cannot read or write (disk error, quota or file size "
                                   "limit); fix this and rerun the same command, finished "
                                   "cells are kept");
  EXPECT_GT(finished_count(path), 0U);
  EXPECT_LT(finished_count(path), kCellCount);
  run_campaign(path, -1);
  EXPECT_EQ(exported(path), undisturbed());
}

TEST(Durability, OneCampaignHasOneCoordinator) {
  const auto path = fresh_path("locked.db");
  Profile profile(path, OpenMode::kWrite);
  const CampaignId id = profile.begin_campaign(campaign("grig"));
  {
    const CampaignLock lock(path, id, "grig");
    EXPECT_EQ(error_of([&] { CampaignLock(path, id, "grig"); }),
              path.string() +
                  ": another colltree measures system grig with the same options into it; wait for "
                  "it, or end it and rerun the same command");
    EXPECT_EQ(error_of([&] { CampaignLock(path, id + 1, "other"); }), "no error");
    // Neither writing nor another opening of the profile loosens it, nor does it hinder them.
    profile.record(id, std::vector{cell_number(1)});
    EXPECT_EQ(Profile(path, OpenMode::kWrite).cells(id).size(), 1U);
    EXPECT_NE(error_of([&] { CampaignLock(path, id, "grig"); }), "no error");
    EXPECT_TRUE(CampaignLock::is_held(path, id));
    EXPECT_FALSE(CampaignLock::is_held(path, id + 1));
  }
  EXPECT_FALSE(CampaignLock::is_held(path, id)) << "asking takes no lock either";
  EXPECT_EQ(error_of([&] { CampaignLock(path, id, "grig"); }), "no error");
}

// A coordinator that is killed just after it forked a worker: until that is another program, it
// holds what its parent held.
TEST(Durability, ALockThatAKilledCoordinatorLeftIsWaitedFor) {
  const auto path = fresh_path("left.db");
  Profile profile(path, OpenMode::kWrite);
  const CampaignId id = profile.begin_campaign(campaign("grig"));
  std::optional<CampaignLock> lock(std::in_place, path, id, "grig");
  const pid_t child = ::fork();
  if (child == 0) {
    ::usleep(200'000);
    ::_exit(0);
  }
  lock.reset();
  EXPECT_EQ(error_of([&] { CampaignLock(path, id, "grig"); }), "no error");
  ::waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace colltree::profile
