// SPDX-License-Identifier: BSD-3-Clause
#include "surrogate/belief.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace colltree::surrogate {
namespace {

constexpr std::uint64_t kRanks[] = {4, 8, 16, 32, 64};

// Times of "flat" and "steep", which grows with the message; and of "even", on an even number of
// ranks alone. All have a level in common that says nothing.
Timings table(std::size_t columns = 8) {
  Timings timings{.system = "s", .provenance = "measured", .collective = Collective::kBcast};
  timings.methods = {{"flat", 0}, {"steep", 0}};
  for (const std::uint64_t ranks : kRanks) {
    for (std::size_t column = 0; column < columns; ++column) {
      const std::uint64_t bytes = std::uint64_t{16} << column;
      timings.instances.push_back({Collective::kBcast, ranks, bytes});
      const auto level = static_cast<double>(ranks * (column + 1));
      timings.time_us.push_back(100 * level);
      timings.time_us.push_back(std::sqrt(static_cast<double>(bytes)) * 5 * level);
      timings.default_us.push_back(kNoTime);
    }
  }
  return timings;
}

double ratio(const std::vector<Belief>& beliefs) {
  return std::exp(beliefs[1].mean - beliefs[0].mean);
}

TEST(Beliefs, SayWhatWasMeasuredAndWhatLiesBetween) {
  const Timings timings = table();
  EXPECT_NEAR(ratio(beliefs(timings, std::vector<Instance>{{Collective::kBcast, 16, 256}})), 0.8,
              0.04);
  EXPECT_NEAR(ratio(beliefs(timings, std::vector<Instance>{{Collective::kBcast, 23, 362}})), 0.95,
              0.05);
}

TEST(Beliefs, AreLessCertainFurtherAway) {
  const std::vector<Instance> at = {{Collective::kBcast, 16, 256},
                                    {Collective::kBcast, 23, 256},
                                    {Collective::kBcast, 512, 256},
                                    {Collective::kBcast, 4096, 256}};
  const std::vector<Belief> all = beliefs(table(), at);
  for (std::size_t i = 0; i + 1 < at.size(); ++i)
    EXPECT_LT(all[2 * i].deviation, all[2 * i + 2].deviation) << i;
}

TEST(Beliefs, OneTimeThatFitsNothingBendsNoNeighbour) {
  Timings timings = table();
  const std::vector<Instance> beside = {{Collective::kBcast, 16, 512}};
  const double without = ratio(beliefs(timings, beside));
  const std::size_t odd = 2 * 8 + 4;  // 16 ranks, 256 bytes
  timings.time_us.set(odd * 2 + 1, 300 * timings.time_at(odd, 1).known_us());
  EXPECT_NEAR(ratio(beliefs(timings, beside)), without, 0.1 * without);
}

TEST(Beliefs, KnowWhereAMethodCouldNotRun) {
  Timings timings = table();
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    if (timings.instances[i].communicator_size >= 32) timings.time_us.set(i * 2 + 1, kNoTime);
  }
  const std::vector<Belief> all = beliefs(
      timings, std::vector<Instance>{{Collective::kBcast, 5, 256}, {Collective::kBcast, 60, 256}});
  EXPECT_LT(all[1].cannot_run, 0.05);
  EXPECT_GT(all[3].cannot_run, 0.8);
  EXPECT_EQ(all[2].cannot_run, 0);
}

TEST(Beliefs, KnowWhatTheLibraryNeeds) {
  Timings timings = table();
  timings.collective = Collective::kAllgather;
  for (Instance& at : timings.instances) at.collective = Collective::kAllgather;
  timings.methods[1] = {"recursive_doubling", std::nullopt};
  const std::vector<Instance> at = {{Collective::kAllgather, 12, 256},
                                    {Collective::kAllgather, 128, 256}};
  EXPECT_EQ(beliefs(timings, at)[1].cannot_run, 0);
  timings.mpi = "openmpi-4.1.5";
  EXPECT_EQ(beliefs(timings, at)[1].cannot_run, 1);
  EXPECT_EQ(beliefs(timings, at)[3].cannot_run, 0);
}

// Among many points some instances together are judged by the nearest ones, which changes little.
TEST(Beliefs, OfManyPointsAreThoseOfTheNeighbours) {
  const std::vector<Instance> at = {{Collective::kBcast, 11, 362},
                                    {Collective::kBcast, 11, 24},
                                    {Collective::kBcast, 11, 1500},
                                    {Collective::kBcast, 32, 128}};
  Timings many = table(8);
  for (std::uint64_t ranks = 65; many.instances.size() < 300; ++ranks) {
    for (std::size_t column = 0; column < 8; ++column) {
      const std::uint64_t bytes = std::uint64_t{16} << column;
      many.instances.push_back({Collective::kBcast, ranks, bytes});
      many.time_us.push_back(100);
      many.time_us.push_back(std::sqrt(static_cast<double>(bytes)) * 5);
      many.default_us.push_back(kNoTime);
    }
  }
  const std::vector<Belief> few = beliefs(table(8), at);
  const std::vector<Belief> all = beliefs(many, at);
  for (std::size_t i = 0; i < at.size(); ++i)
    EXPECT_NEAR(all[2 * i + 1].mean - all[2 * i].mean, few[2 * i + 1].mean - few[2 * i].mean, 0.1);
}

}  // namespace
}  // namespace colltree::surrogate
