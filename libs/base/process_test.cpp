// SPDX-License-Identifier: BSD-3-Clause
#include "base/process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace colltree {
namespace {

struct Heard {
  std::vector<std::string> out;
  std::vector<std::string> err;
  ChildProcess::Outcome outcome;
  std::string end;
};

Heard listen(const std::vector<std::string>& command, double timeout_s = 600,
             bool interrupt = false) {
  Heard heard;
  // Each line takes a second, however long it really takes.
  std::chrono::steady_clock::time_point now;
  const auto hear = [&](std::vector<std::string>& lines, std::string_view line) {
    now += std::chrono::seconds(1);
    lines.emplace_back(line);
  };
  ChildProcess child(command, ChildProcess::Input::kNone, [&now] { return now; });
  heard.outcome = child.read(
      timeout_s, [interrupt] { return interrupt; },
      [&](std::string_view line) {
        hear(heard.out, line);
        return line == "sign" ? ChildProcess::LineKind::kProgress : ChildProcess::LineKind::kOther;
      },
      [&](std::string_view line) { hear(heard.err, line); });
  heard.end = child.wait();
  return heard;
}

TEST(ChildProcess, HandsOverLinesAndTheLastWithoutNewline) {
  const Heard heard = listen({"sh", "-c", "printf 'one\\ntwo\\n\\nlast'; echo oops >&2"});
  EXPECT_THAT(heard.out, ::testing::ElementsAre("one", "two", "", "last"));
  EXPECT_THAT(heard.err, ::testing::ElementsAre("oops"));
  EXPECT_EQ(heard.end, "");
}

TEST(ChildProcess, ReadsNothingOfOurStandardInput) {
  const int ours = ::dup(STDIN_FILENO);
  const int folder = ::open("/", O_RDONLY);
  ::dup2(folder, STDIN_FILENO);
  EXPECT_EQ(listen({"cat"}).end, "");
  ::dup2(ours, STDIN_FILENO);
  for (const int file : {ours, folder}) ::close(file);
}

TEST(ChildProcess, LongLinesSurviveThePipe) {
  const Heard heard = listen({"sh", "-c", "head -c 300000 /dev/zero | tr '\\0' x; echo; echo end"});
  ASSERT_EQ(heard.out.size(), 2U);
  EXPECT_EQ(heard.out[0].size(), 300000U);
}

TEST(ChildProcess, SaysHowTheChildEnded) {
  EXPECT_EQ(listen({"sh", "-c", "exit 7"}).end, "exit code 7");
  EXPECT_EQ(listen({"sh", "-c", "kill -9 $$"}).end, "signal 9 (Killed)");
  const Heard absent = listen({"/no/such/program"});
  EXPECT_EQ(absent.end, "exit code 127");
  EXPECT_THAT(absent.err,
              ::testing::ElementsAre("cannot start /no/such/program: No such file or directory"));
}

TEST(ChildProcess, OnlySignsCountAgainstSilence) {
  EXPECT_EQ(listen({"sh", "-c", "while echo noise; do :; done"}, 3).outcome,
            ChildProcess::Outcome::kSilent);
  EXPECT_EQ(listen({"sh", "-c", "while echo noise >&2; do :; done"}, 3).outcome,
            ChildProcess::Outcome::kSilent);
  // In all longer than the limit.
  const Heard lively = listen({"sh", "-c", "for i in 1 2 3 4 5; do echo sign; sleep 0.1; done"}, 3);
  EXPECT_EQ(lively.outcome, ChildProcess::Outcome::kEnded);
  EXPECT_EQ(lively.out.size(), 5U);
}

// By the clock of the machine, where any limit is long enough.
Heard wait_for(const std::vector<std::string>& command) {
  Heard heard;
  ChildProcess child(command);
  const auto ignore = [](std::string_view) {};
  heard.outcome = child.read_all(0.2, ignore, ignore);
  heard.end = child.wait();
  return heard;
}

TEST(ChildProcess, AProgramWithoutEndIsEnded) {
  for (const char* endless : {"cat /dev/zero", "yes noise", "while echo noise; do sleep 0.01; done",
                              "exec sleep 1000 >&- 2>&-", "exec sleep 1000"}) {
    const Heard heard = wait_for({"sh", "-c", endless});
    EXPECT_EQ(heard.outcome, ChildProcess::Outcome::kSilent) << endless;
    EXPECT_THAT(heard.end, ::testing::StartsWith("signal ")) << endless;
  }
}

// A zombie, or nothing at all: the first process may be slow to collect it.
bool is_gone(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/cmdline");
  return file.get() == std::ifstream::traits_type::eof();
}

TEST(ChildProcess, WhatALauncherLeavesBehindIsEndedToo) {
  ChildProcess child({"sh", "-c", "sleep 1000 & echo $!"});
  std::string left;
  const auto hear = [&](std::string_view line) {
    left = line;
    return ChildProcess::LineKind::kOther;
  };
  EXPECT_EQ(child.read(
                600, [&] { return !left.empty(); }, hear, [](std::string_view) {}),
            ChildProcess::Outcome::kInterrupted);
  child.wait();
  for (int i = 0; i < 10'000 && !is_gone(left); ++i) ::usleep(10'000);
  EXPECT_TRUE(is_gone(left));
}

TEST(ChildProcess, InterruptsEndIt) {
  EXPECT_EQ(listen({"sleep", "1000"}, 600, true).outcome, ChildProcess::Outcome::kInterrupted);
}

}  // namespace
}  // namespace colltree
