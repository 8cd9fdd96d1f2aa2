// SPDX-License-Identifier: BSD-3-Clause
// How often what is fitted to noisy samples is truly slower than the library's own choice: real
// timings (tests/data) are taken as the truth, sessions are drawn around them. COLLTREE_TUNINGS=50
// is the run that docs/results/models.md shows.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/input.h"
#include "base/random.h"
#include "base/statistics.h"
#include "base/test_paths.h"
#include "model/fitter.h"
#include "profile/import.h"
#include "profile/load_timings.h"
#include "profile/test_profile.h"
#include "timings/instance_grid.h"
#include "timings/penalty.h"
#include "timings/test_times.h"

namespace colltree::model {
namespace {

constexpr std::size_t kSamplesOfATuning = 10;

Timings truth_of(const std::string& system, Collective collective) {
  const auto path = colltree::testing::data_dir() / "orfeo_epyc_openmpi_bcast_reduce.csv.gz";
  profile::Profile profile(fresh_path("truth.db"), profile::OpenMode::kWrite);
  profile::import_csv(profile, read_file(path), path.string(),
                      {profile::MessageSizeConvention::kBlock});
  return profile::load_timings(profile, system, collective);
}

// Every fourth communicator size: what a session measures.
Timings part_of(const Timings& truth) {
  const InstanceGrid grid = make_map_grid(truth);
  const std::vector<std::uint64_t>& sizes = grid.communicator_sizes();
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < truth.instances.size(); ++i) {
    const auto at = std::ranges::find(sizes, truth.instances[i].communicator_size);
    if ((at - sizes.begin()) % 4 == 0) kept.push_back(i);
  }
  return select_instances(truth, kept);
}

// About normal.
double deviation(SeededRandom& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random.below(1U << 20U)) / (1U << 20U);
  return sum;
}

Timings session(const Timings& truth, double spread, std::uint64_t seed) {
  SeededRandom random(seed);
  Timings measured = truth;
  for (std::size_t at = 0; at < measured.time_us.size(); ++at) {
    const double time_us = measured.time_us[at].measured_us();
    std::vector<double> samples;
    for (std::size_t s = 0; s < kSamplesOfATuning; ++s) {
      samples.push_back(time_us * std::exp(spread * deviation(random)));
    }
    if (std::isnan(time_us)) continue;
    measured.time_us.set(at, Time::measured(median(samples), median_interval(samples, 0.95)));
  }
  return measured;
}

// In how many instances the choice is truly slower than the default by more than 2 %, among those
// that were measured and among all, and how much time it takes beside it in the geometric mean.
struct Harm {
  double measured = 0;
  double all = 0;
  double change = 0;
};

double slower_share(const Timings& truth, const Model& model) {
  double slower = 0;
  for (std::size_t i = 0; i < truth.instances.size(); ++i) {
    const double time_us = truth.time_of(i, model.decide(truth.instances[i])).known_us();
    slower += time_us > 1.02 * truth.default_us[i].known_us() ? 1 : 0;
  }
  return slower / static_cast<double>(truth.instances.size());
}

Harm harm(const Timings& truth, const char* fitter, double spread, std::size_t tunings) {
  const Timings part = part_of(truth);
  Harm mean;
  for (std::uint64_t seed = 1; seed <= tunings; ++seed) {
    const Model model = parse_fitter(fitter).fit({session(part, spread, seed)});
    const auto share = 1 / static_cast<double>(tunings);
    mean.measured += share * slower_share(part, model);
    mean.all += share * slower_share(truth, model);
    mean.change += share * *summarize(penalty_points(truth, model)).versus_default;
  }
  return mean;
}

TEST(LeastGain, WhatIsDeployedIsRarelySlowerThanTheLibrary) {
  const char* asked = std::getenv("COLLTREE_TUNINGS");
  const std::size_t tunings = asked == nullptr ? 1 : std::strtoul(asked, nullptr, 10);
  for (const std::string system : {"orfeo-epyc-core", "orfeo-epyc-node"}) {
    for (const Collective collective : {Collective::kBcast, Collective::kReduce}) {
      const bool hard = (system == "orfeo-epyc-core") == (collective == Collective::kBcast);
      if (asked == nullptr && !hard) continue;
      const Timings truth = truth_of(system, collective);
      for (const double spread :
           asked == nullptr ? std::vector{0.10} : std::vector{0.02, 0.05, 0.10}) {
        const Harm any = harm(truth, "optimal:leaves=auto", spread, tunings);
        const Harm proven = harm(truth, "optimal:leaves=auto,least_gain=5%", spread, tunings);
        fmt::print("{} {:6} {:2.0f} %:", system, name(collective), 100 * spread);
        for (const Harm& one : {any, proven}) {
          fmt::print("  {:5.2f} {:5.2f} {:+6.1f}", 100 * one.measured, 100 * one.all,
                     100 * one.change);
        }
        fmt::print("\n");
        EXPECT_LE(proven.measured, 0.01);
        EXPECT_LE(proven.measured, any.measured);
        EXPECT_LT(proven.change, 0);
      }
    }
  }
}

// "linear" is proven on 8 ranks only: between 8 and its neighbours all is left to the library.
TEST(LeastGain, NothingIsProvenBetweenAMeasuredPointAndTheNext) {
  Timings timings{.system = "s",
                  .provenance = "measured",
                  .methods = {{"linear", 0}, {kDefaultAlgorithm, std::nullopt}}};
  for (const std::uint64_t ranks : {2, 8, 32}) {
    timings.instances.push_back({Collective::kBcast, ranks, 8});
    testing::append(timings.time_us, {ranks == 8 ? 50.0 : 98.0, 100.0});
    timings.default_us.push_back(100);
  }
  const Model model = parse_fitter("optimal:leaves=3,least_gain=5%").fit({timings});
  for (const std::uint64_t ranks : {2, 7, 8, 9, 31, 32}) {
    EXPECT_EQ(model.decide({Collective::kBcast, ranks, 8}).algorithm,
              ranks == 8 ? "linear" : kDefaultAlgorithm)
        << ranks;
  }
  const Model any = parse_fitter("optimal:leaves=3").fit({timings});
  EXPECT_EQ(any.decide({Collective::kBcast, 31, 8}).algorithm, "linear");
}

}  // namespace
}  // namespace colltree::model
