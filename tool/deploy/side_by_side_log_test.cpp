// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/side_by_side_log.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace colltree::deploy {
namespace {

const std::string kHeader =
    "mpi,round,collective,procs,msg_bytes,algorithm,segment_bytes,default_us,deployed_us\n";

TEST(SideBySideLog, IsReadAsItWasWritten) {
  SideBySideLog log{.mpi = "openmpi-4.1.4"};
  const Instance small{Collective::kBcast, 4, 8};
  const Instance large{Collective::kReduce, 8, 4096};
  log.deployed = {{small, {"binomial", 0}}, {large, parse_method_name("chain@fanout=4", 1024)}};
  log.rounds = {{{small, {2.5, 1.25}}, {large, {30, 20.125}}}, {{small, {2.25, 1.5}}}};
  const std::string text = side_by_side_text(log);
  const SideBySideLog read = parse_side_by_side(text, "v.csv");
  EXPECT_EQ(read.mpi, log.mpi);
  EXPECT_EQ(read.deployed, log.deployed);
  EXPECT_EQ(read.rounds.size(), 2U);
  EXPECT_EQ(read.pairs_of(small).size(), 2U);
  EXPECT_EQ(read.pairs().at(large).front().tuned_us, 20.125);
  EXPECT_EQ(side_by_side_text(read), text);
}

// Whatever failed in it, a file that is cut after some rounds continues with the next round, and
// what was measured keeps its round.
TEST(SideBySideLog, FailuresDoNotMoveRounds) {
  SideBySideLog log{.mpi = "mpich-4.0.2"};
  const Instance small{Collective::kBcast, 2, 8192};
  const Instance large{Collective::kBcast, 2, 262144};
  log.deployed = {{small, {"pipeline", 256}}, {large, {"pipeline", 256}}};
  log.rounds = {{}, {{small, {9, 8}}}, {{small, {7, 6}}}, {{large, {5, 4}}}, {}};
  const std::string text = side_by_side_text(log);
  const std::string line = "mpich-4.0.2,3,bcast,2,";
  EXPECT_NE(text.find(line + "8192,pipeline,256,,\n" + line + "262144,pipeline,256,5,4\n"),
            std::string::npos)
      << text;
  for (std::size_t rounds = 1; rounds <= log.rounds.size(); ++rounds) {
    std::size_t end = 0;
    for (std::size_t i = 0; i < 1 + 2 * rounds; ++i) end = text.find('\n', end) + 1;
    SideBySideLog read = parse_side_by_side(text.substr(0, end), "v.csv");
    EXPECT_EQ(read.deployed, log.deployed);
    ASSERT_EQ(read.rounds.size(), rounds);
    for (std::size_t next = rounds; next < log.rounds.size(); ++next)
      read.rounds.push_back(log.rounds[next]);
    EXPECT_EQ(side_by_side_text(read), text);
  }
}

TEST(SideBySideLog, PlacementsAreKept) {
  SideBySideLog log{.mpi = "mpich-4.0.2"};
  const Instance one{Collective::kBcast, 4, 8, 4, 1};
  const Instance two{Collective::kBcast, 4, 8, 2, 2};
  log.deployed = {{one, {"binomial", 0}}, {two, {"linear", 0}}};
  log.rounds = {{{one, {2.5, 1.25}}, {two, {30, 20.125}}}};
  const std::string text = side_by_side_text(log);
  EXPECT_TRUE(text.starts_with(kHeader.substr(0, kHeader.size() - 1) + ",ppn\n"));
  const SideBySideLog read = parse_side_by_side(text, "v.csv");
  EXPECT_EQ(read.deployed, log.deployed);
  EXPECT_EQ(side_by_side_text(read), text);
}

TEST(SideBySideLog, SessionsAreKept) {
  SideBySideLog log{.mpi = "mpich-4.0.2"};
  const Instance one{Collective::kBcast, 4, 8, 4, 1};
  log.deployed = {{one, {"binomial", 0}}};
  log.rounds = {{{one, {3, 2}}}, {{one, {3, 2, 0}}}, {}, {{one, {5, 4, 1}}}};
  const std::string text = side_by_side_text(log);
  EXPECT_TRUE(text.starts_with(kHeader.substr(0, kHeader.size() - 1) + ",ppn,session\n"));
  EXPECT_NE(text.find(",,,1,\n"), std::string::npos) << text;
  const SideBySideLog read = parse_side_by_side(text, "v.csv");
  EXPECT_EQ(read.sessions(), 2U);
  EXPECT_EQ(read.rounds[3].at(one).session, 1U);
  EXPECT_EQ(side_by_side_text(read), text);
  log.rounds.pop_back();
  EXPECT_EQ(side_by_side_text(log).find("session"), std::string::npos);
}

TEST(SideBySide, SessionsShareTheRounds) {
  const auto ends = [](std::size_t rounds, std::size_t sessions) {
    std::vector<std::size_t> found;
    for (std::size_t done = 0; done < rounds && found.size() < rounds; done = found.back()) {
      const SessionRounds next = next_session(done, rounds, sessions);
      EXPECT_EQ(next.session, found.size());
      EXPECT_EQ(next_session(done, rounds, sessions).end, next.end);
      // One that was killed on its way continues.
      EXPECT_EQ(next_session(next.end - 1, rounds, sessions).end, next.end);
      found.push_back(next.end);
    }
    return found;
  };
  EXPECT_EQ(ends(12, 1), (std::vector<std::size_t>{12}));
  EXPECT_EQ(ends(12, 3), (std::vector<std::size_t>{4, 8, 12}));
  EXPECT_EQ(ends(13, 4), (std::vector<std::size_t>{4, 7, 10, 13}));
  EXPECT_EQ(ends(12, 12).size(), 12U);
  EXPECT_EQ(next_session(12, 12, 3).end, 12U) << "nothing is left";
}

TEST(SideBySideLog, InstancesThatFailedTooOftenAreLeftOut) {
  const Instance small{Collective::kBcast, 4, 8};
  const Instance large{Collective::kBcast, 4, 4096};
  const RoundsOfPairs rounds = {{small, std::vector<evaluate::Pair>(12)},
                                {large, std::vector<evaluate::Pair>(9)}};
  EXPECT_EQ(in_most_rounds(rounds, 12).at(small).size(), 9U);
  EXPECT_EQ(in_most_rounds({{small, std::vector<evaluate::Pair>(8)}}, 12).size(), 0U);
}

TEST(SideBySideLog, RefusesWhatItDidNotWrite) {
  struct Case {
    std::string text, error;
  };
  const std::string first = kHeader + "mpich-4.0.2,0,bcast,4,8,binomial,0,2,1\n";
  const Case cases[] = {
      {"", "v.csv:1: expected the header " + kHeader.substr(0, kHeader.size() - 1) + ", got ''"},
      {first + "x\n", "v.csv:3: expected 9 fields, got 'x'"},
      {first + "openmpi-4.1.4,0,bcast,4,16,binomial,0,2,1\n",
       "v.csv:3: expected mpich-4.0.2, got 'openmpi-4.1.4'"},
      {first + "mpich-4.0.2,2,bcast,4,8,binomial,0,2,1\n",
       "v.csv:3: expected the rounds in their order, got '2'"},
      {first + "mpich-4.0.2,1,bcat,4,8,binomial,0,2,1\n",
       "v.csv:3: expected a collective, got 'bcat'"},
      {first + "mpich-4.0.2,1,bcast,4,8,linear,0,2,1\n",
       "v.csv:3: expected Binomial_0K, got 'Linear_0K'"},
      {first + "mpich-4.0.2,1,bcast,4,8,binomial,0,0,1\n",
       "v.csv:3: expected a time in microseconds above 0, got '0'"},
      {kHeader.substr(0, kHeader.size() - 1) + ",session\nmpich-4.0.2,0,bcast,4,8,binomial,0,2,1,x",
       "v.csv:2: expected a session, got 'x'"},
      {first + "mpich-4.0.2,1,bcast,-4,8,binomial,0,2,1\n", "v.csv:3: expected ranks, got '-4'"},
  };
  for (const Case& one : cases) {
    try {
      parse_side_by_side(one.text, "v.csv");
      FAIL() << one.text;
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), one.error);
    }
  }
}

}  // namespace
}  // namespace colltree::deploy
