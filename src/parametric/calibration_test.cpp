// SPDX-License-Identifier: BSD-3-Clause
#include "parametric/calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/test_scratch.h"
#include "coll/catalogue.h"

namespace colltree::parametric {

namespace {

using ::testing::HasSubstr;

// As SMPI has it: overhead 5 us on both sides below 16 KiB, two links of 10 us, 100 B/us,
// of which messages up to 1 KiB have half.
double message_us(double bytes) {
  const double way_us = 20 + bytes / (bytes <= 1024 ? 50 : 100);
  return bytes <= 16384 ? way_us + 2 * 5 : way_us;
}

PointToPoint made_up() {
  PointToPoint table;
  for (const double bytes : {1.0, 64.0, 1024.0, 4096.0, 16384.0, 65536.0, 262144.0, 1048576.0}) {
    table.message.push_back({bytes, message_us(bytes)});
    table.gap.push_back({bytes, 5 + bytes / 100});
    table.send.push_back({bytes, bytes <= 16384 ? 5 + bytes / 200 : message_us(bytes)});
    table.fold.push_back({bytes, bytes / 500});
  }
  return table;
}

TEST(Calibration, FindsTheNumbersBack) {
  const CalibratedPlatform platform = calibrate(made_up(), 8);
  EXPECT_EQ(platform.hosts, 8U);
  EXPECT_EQ(platform.eager_bytes, 16384U);
  EXPECT_NEAR(platform.overhead_us, 5, 0.01);
  EXPECT_NEAR(platform.link_latency_us, 10, 0.05);
  EXPECT_NEAR(platform.bytes_per_us, 100, 0.1);
  EXPECT_NEAR(platform.reduce_us_per_byte, 0.002, 1e-9);
  ASSERT_EQ(platform.factors.size(), 8U);
  EXPECT_EQ(platform.factors[2].above_bytes, 64U) << "for 1 KiB";
  EXPECT_NEAR(platform.factors[2].share, 0.5, 0.01);
  EXPECT_NEAR(platform.factors[7].share, 1, 0.01);
}

TEST(Calibration, GuessesTheEagerLimitWhereNothingTells) {
  PointToPoint table = made_up();
  table.send.clear();
  EXPECT_EQ(calibrate(table, 2).eager_bytes, kUsualEagerBytes);
}

TEST(Calibration, NeedsThreeSizes) {
  PointToPoint table = made_up();
  table.message.resize(2);
  EXPECT_EQ(error_of([&] { calibrate(table, 2); }),
            "calibrating needs the times of linear bcast (or scatter) on two communicator sizes or "
            "more, at three message sizes or more: measure --collective bcast,reduce,gather");
}

// Times that no network has still give a file that SimGrid reads: everything positive and finite.
TEST(Calibration, SurvivesOddTimes) {
  PointToPoint flat;
  PointToPoint falling;
  for (const double bytes : {0.0, 1.0, 1024.0, 1048576.0}) {
    flat.message.push_back({bytes, 3});
    falling.message.push_back({bytes, 100 / (1 + bytes)});
  }
  for (const PointToPoint* table : {&flat, &falling}) {
    const CalibratedPlatform platform = calibrate(*table, 2);
    EXPECT_GT(platform.bytes_per_us, 0);
    EXPECT_GT(platform.link_latency_us, 0);
    EXPECT_GT(platform.overhead_us, 0);
    for (const CalibratedPlatform::Factor& factor : platform.factors) EXPECT_GT(factor.share, 0);
  }
}

TEST(Calibration, IsAPlatformFile) {
  const std::string xml = platform_xml(calibrate(made_up(), 8), "mine", "after \"a\" & b");
  EXPECT_THAT(xml, HasSubstr("<prop id=\"smpi/send-is-detached-thresh\" value=\"16384\"/>"));
  EXPECT_THAT(xml, HasSubstr("value=\"after &quot;a&quot; &amp; b\""));
  EXPECT_THAT(xml, HasSubstr("radical=\"0-7\""));
}

TEST(Calibration, WhatItLooksAtIsNotHeldOut) {
  EXPECT_TRUE(tells_of_messages(Collective::kBcast, {"linear", 0}));
  EXPECT_TRUE(tells_of_messages(Collective::kBcast, {"binary", 0}));
  EXPECT_FALSE(tells_of_messages(Collective::kBcast, {"binary", 1024}));
  EXPECT_FALSE(tells_of_messages(Collective::kBcast, {"binomial", 0}));
  EXPECT_TRUE(tells_of_messages(Collective::kReduce, {"linear", 0}));
  EXPECT_FALSE(tells_of_messages(Collective::kAlltoall, {"linear", 0}));
}

Timings times(std::uint64_t nodes, const std::vector<std::vector<double>>& rows) {
  Timings timings;
  timings.methods = {{"linear", 0}, {"binomial", 0}, library_default()};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    timings.instances.push_back({Collective::kBcast, 4, i + 1, nodes, nodes == 0 ? 0 : 4 / nodes});
    timings.default_us.push_back(kNoTime);
    for (const double time : rows[i]) timings.time_us.push_back(time);
  }
  return timings;
}

TEST(SimulatedError, IsOfTheSameCellsWhereverTheyLie) {
  const Timings measured = times(1, {{10, 20, 1}, {10, kNoTime, 1}, {10, 10, 1}});
  const Timings simulated = times(4, {{11, 10, 5}, {10, 10, 5}});
  const auto any = [](const Method&) { return true; };
  const SimulatedError all = simulated_error(measured, simulated, any);
  EXPECT_EQ(all.cells, 3U) << "the default and what one has not are left out";
  EXPECT_NEAR(all.median, 0.1, 1e-12);
  EXPECT_NEAR(all.p90, 0.5, 1e-12);
  EXPECT_NEAR(all.ratio, std::cbrt(1.1 * 0.5), 1e-12);
  const auto linear = [](const Method& method) { return method.algorithm == "linear"; };
  EXPECT_EQ(simulated_error(measured, simulated, linear).cells, 2U);
  EXPECT_EQ(simulated_error(measured, times(4, {}), any).cells, 0U);
}

}  // namespace

}  // namespace colltree::parametric
