// SPDX-License-Identifier: BSD-3-Clause
#include "parametric/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "parametric/point_to_point.h"
#include "parametric/test_network.h"
#include "timings/test_times.h"

namespace colltree::parametric {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

const std::vector<Method> kLinear = {{"linear", 0}, {"binary", 0}};
const std::vector<std::uint64_t> kRanks = {3, 4, 5, 8};
const std::vector<std::uint64_t> kBytes = {1, 100, 1000, 10000, 100000};
const ParameterSource kSource{"grig", "simulated", "p.db"};

std::vector<Timings> measured(const Network& network) {
  return {timings_by(network, Collective::kBcast, kLinear, kRanks, kBytes),
          timings_by(network, Collective::kReduce, kLinear, kRanks, kBytes)};
}

TEST(LeastDeviations, ALineThroughMostPoints) {
  std::vector<Deviation> rows;
  for (const double x : {1, 2, 3, 4, 5, 6}) rows.push_back({{1, x, 0}, 3 + 2 * x});
  rows[2].value = 1000;
  EXPECT_THAT(least_deviations(rows), ElementsAre(DoubleNear(3, 1e-6), DoubleNear(2, 1e-6), 0));
}

TEST(LeastDeviations, NothingBelowZero) {
  std::vector<Deviation> rows;
  for (const double x : {1, 2, 3}) rows.push_back({{1, x, 0}, 5 * x - 4});
  const auto x = least_deviations(rows);
  EXPECT_EQ(x[0], 0);
  EXPECT_GT(x[1], 3);
  EXPECT_THAT(least_deviations({{{1, 0, 0}, -5}}), ElementsAre(0, 0, 0));
  EXPECT_THAT(least_deviations({}), ElementsAre(0, 0, 0));
}

TEST(PointToPoint, FromLinearAndBinaryCalls) {
  const PointToPoint seen = observe_point_to_point(measured(kTestNetwork));
  ASSERT_EQ(seen.message.size(), kBytes.size());
  for (std::size_t i = 0; i < kBytes.size(); ++i) {
    const auto bytes = static_cast<double>(kBytes[i]);
    EXPECT_DOUBLE_EQ(seen.message[i].bytes, bytes);
    EXPECT_NEAR(seen.message[i].us, 100 + bytes, 1e-6);
    EXPECT_NEAR(seen.gap[i].us, 7 + bytes, 1e-6);
    EXPECT_NEAR(seen.send[i].us, 7 + bytes, 1e-6);
    EXPECT_NEAR(seen.fold[i].us, bytes / 10, 1e-6);
  }
}

// Without 3 ranks: 6 tell the same.
TEST(PointToPoint, BlockingSendsFromSixRanks) {
  const std::vector<Timings> timings = {
      timings_by(kTestNetwork, Collective::kBcast, kLinear, {2, 4, 6}, {10})};
  const PointToPoint seen = observe_point_to_point(timings);
  ASSERT_EQ(seen.send.size(), 1U);
  EXPECT_NEAR(seen.send[0].us, 17, 1e-6);
  EXPECT_TRUE(seen.fold.empty());
}

TEST(PointToPoint, OneWildTimeMovesNoSlope) {
  std::vector<Timings> timings = measured(kTestNetwork);
  timings[0] = timings_by(kTestNetwork, Collective::kBcast, kLinear, {2, 3, 4, 5, 6, 8, 9}, {10});
  testing::scale(timings[0].time_us, 2 * 6, 50);  // linear on 9 ranks
  EXPECT_NEAR(observe_point_to_point(timings).gap[0].us, 17, 1e-6);
}

// What made the times is found again.
TEST(Parameters, OfLogGP) {
  const auto found = estimate_parameters(measured({{40, 6, 6, 0.25}, 0.125}), kSource);
  EXPECT_NEAR(found.loggp.latency_us, 40, 1e-3);
  EXPECT_NEAR(found.loggp.overhead_us, 6, 1e-3);
  EXPECT_NEAR(found.loggp.gap_us, 6, 1e-3);
  EXPECT_NEAR(found.loggp.byte_gap_us_per_byte, 0.25, 1e-6);
  EXPECT_NEAR(found.gamma_us_per_byte.value(), 0.125, 1e-6);
}

// Where times hardly grow with the ranks, noise makes slopes of 0: they count too.
TEST(Parameters, OfLogGPWithGapsOfNothing) {
  std::vector<Timings> timings = measured({{40, 6, 6, 0.25}, 0});
  Timings& bcast = timings[0];
  for (std::size_t i = 0; i < bcast.instances.size(); ++i) {
    const double bytes = static_cast<double>(bcast.instances[i].message_size);
    if (bytes < 100000) bcast.time_us.set(2 * i, 52 + 0.25 * (bytes - 1));
  }
  const LogGP found = estimate_parameters(timings, kSource).loggp;
  EXPECT_NEAR(found.gap_us, 0, 1e-6);
  EXPECT_NEAR(found.latency_us + 2 * found.overhead_us, 52, 2);
}

TEST(Parameters, WhichCollectivesFold) {
  using enum Collective;
  for (const Collective one :
       {kReduce, kAllreduce, kScan, kExscan, kReduceScatter, kReduceScatterBlock})
    EXPECT_TRUE(folds_messages(one)) << name(one);
  for (const Collective one : {kBcast, kGather, kScatter, kAllgather, kAlltoallv, kBarrier})
    EXPECT_FALSE(folds_messages(one)) << name(one);
}

TEST(Parameters, WhatIsMissingIsNamedWithItsCommand) {
  const auto message = [](const auto& work) -> std::string {
    try {
      work();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(
      message([&] { estimate_parameters({}, kSource); }),
      "p.db: grig has no times of bcast linear at two communicator sizes, which give the cost of a "
      "message: colltree measure --platform grig --collective bcast,reduce --methods "
      "linear,binary --communicator-sizes 2..6 --message-sizes 1..1M:x4 -o p.db");
  const std::vector<Timings> one_size = {
      timings_by(kTestNetwork, Collective::kBcast, kLinear, {2}, kBytes)};
  EXPECT_NE(message([&] { estimate_parameters(one_size, kSource); }), "");
  const std::vector<Timings> no_reduce = {
      timings_by(kTestNetwork, Collective::kBcast, kLinear, kRanks, kBytes)};
  const ParameterSource real{"mine", "measured", "q.db"};
  const NetworkParameters parameters = estimate_parameters(no_reduce, real);
  EXPECT_EQ(network_for(parameters, Collective::kBcast, real).gamma_us_per_byte, 0);
  EXPECT_EQ(
      message([&] { network_for(parameters, Collective::kScan, real); }),
      "q.db: mine has no times of reduce linear at two communicator sizes, which give the cost of "
      "folding a byte: colltree measure --launcher 'mpirun -np {ranks}' --system mine "
      "--collective bcast,reduce --methods linear,binary --communicator-sizes 2..6 "
      "--message-sizes 1..1M:x4 -o q.db");
}

}  // namespace
}  // namespace colltree::parametric
