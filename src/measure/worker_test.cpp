// SPDX-License-Identifier: BSD-3-Clause
#include "measure/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

namespace colltree {
namespace {

struct Heard {
  std::vector<std::string> out;
  std::vector<std::string> err;
  Worker::Outcome outcome;
  std::string end;
};

Heard listen(const std::vector<std::string>& command, double timeout_s = 60,
             bool interrupt = false) {
  Heard heard;
  Worker worker(command);
  heard.outcome = worker.read(
      timeout_s, [interrupt] { return interrupt; },
      [&](std::string_view line) {
        heard.out.emplace_back(line);
        return line == "sign" ? Worker::Heard::kSign : Worker::Heard::kNoise;
      },
      [&](std::string_view line) { heard.err.emplace_back(line); });
  heard.end = worker.wait();
  return heard;
}

TEST(Worker, HandsOverLinesAndTheLastWithoutNewline) {
  const Heard heard = listen({"sh", "-c", "printf 'one\\ntwo\\n\\nlast'; echo oops >&2"});
  EXPECT_THAT(heard.out, ::testing::ElementsAre("one", "two", "", "last"));
  EXPECT_THAT(heard.err, ::testing::ElementsAre("oops"));
  EXPECT_EQ(heard.end, "");
}

TEST(Worker, LongLinesSurviveThePipe) {
  const Heard heard = listen({"sh", "-c", "head -c 300000 /dev/zero | tr '\\0' x; echo; echo end"});
  ASSERT_EQ(heard.out.size(), 2U);
  EXPECT_EQ(heard.out[0].size(), 300000U);
}

TEST(Worker, SaysHowTheChildEnded) {
  EXPECT_EQ(listen({"sh", "-c", "exit 7"}).end, "exit code 7");
  EXPECT_EQ(listen({"sh", "-c", "kill -9 $$"}).end, "signal 9 (Killed)");
  const Heard absent = listen({"/no/such/program"});
  EXPECT_EQ(absent.end, "exit code 127");
  EXPECT_THAT(absent.err,
              ::testing::ElementsAre("cannot start /no/such/program: No such file or directory"));
}

TEST(Worker, OnlySignsCountAgainstSilence) {
  EXPECT_EQ(listen({"sh", "-c", "while echo noise; do sleep 0.01; done"}, 0.2).outcome,
            Worker::Outcome::kSilent);
  EXPECT_EQ(listen({"sh", "-c", "while echo noise >&2; do sleep 0.01; done"}, 0.2).outcome,
            Worker::Outcome::kSilent);
  // In all longer than the limit.
  const Heard lively =
      listen({"sh", "-c", "for i in 1 2 3 4 5 6 7; do sleep 1; echo sign; done"}, 6);
  EXPECT_EQ(lively.outcome, Worker::Outcome::kEnded);
  EXPECT_EQ(lively.out.size(), 7U);
}

TEST(Worker, AFloodIsEndedToo) {
  EXPECT_EQ(listen({"sh", "-c", "cat /dev/zero"}, 0.2).outcome, Worker::Outcome::kSilent);
  EXPECT_EQ(listen({"yes", "noise"}, 0.2).outcome, Worker::Outcome::kSilent);
}

TEST(Worker, AChildThatClosesItsOutputAndStaysIsEnded) {
  const Heard silent = listen({"sh", "-c", "exec sleep 100 >&- 2>&-"}, 0.2);
  EXPECT_EQ(silent.outcome, Worker::Outcome::kSilent);
  EXPECT_EQ(silent.end, "signal 15 (Terminated)");
}

TEST(Worker, AProgramThatOnlyTalksHasALimit) {
  Worker worker({"sh", "-c", "while echo noise; do sleep 0.01; done"});
  const auto ignore = [](std::string_view) {};
  EXPECT_EQ(worker.read_all(0.2, ignore, ignore), Worker::Outcome::kSilent);
}

// A zombie, or nothing at all: the first process may be slow to collect it.
bool is_gone(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/cmdline");
  return file.get() == std::ifstream::traits_type::eof();
}

TEST(Worker, WhatALauncherLeavesBehindIsEndedToo) {
  const Heard heard = listen({"sh", "-c", "sleep 100 & echo $!"}, 0.5);
  EXPECT_EQ(heard.outcome, Worker::Outcome::kSilent);
  ASSERT_EQ(heard.out.size(), 1U);
  for (int i = 0; i < 1000 && !is_gone(heard.out[0]); ++i) ::usleep(10'000);
  EXPECT_TRUE(is_gone(heard.out[0]));
}

TEST(Worker, SilenceAndInterruptsEndIt) {
  const Heard silent = listen({"sleep", "100"}, 0.2);
  EXPECT_EQ(silent.outcome, Worker::Outcome::kSilent);
  EXPECT_EQ(silent.end, "signal 15 (Terminated)");
  EXPECT_EQ(listen({"sleep", "100"}, 60, true).outcome, Worker::Outcome::kInterrupted);
}

}  // namespace
}  // namespace colltree
