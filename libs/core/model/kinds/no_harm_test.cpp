// SPDX-License-Identifier: BSD-3-Clause
// How often what is fitted to noisy samples is truly slower than the library's own choice: real
// timings (tests/data) are taken as the truth, sessions are drawn around them. COLLTREE_TUNINGS=50
// is the run that docs/results/models.md shows.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "base/input.h"
#include "base/random.h"
#include "base/statistics.h"
#include "base/test_paths.h"
#include "base/test_sample.h"
#include "model/fitter.h"
#include "profile/import.h"
#include "profile/load_timings.h"
#include "profile/test_profile.h"
#include "surrogate/belief.h"
#include "surrogate/complete.h"
#include "timings/instance_grid.h"
#include "timings/penalty.h"

namespace colltree::model {
namespace {

constexpr std::size_t kSamplesOfATuning = 10;

Timings truth_of(const std::string& system, Collective collective) {
  const auto path = colltree::testing::data_dir() / "orfeo_epyc_openmpi_bcast_reduce.csv.gz";
  profile::Profile profile(fresh_path("truth.db"), profile::OpenMode::kWrite);
  profile::import_csv(profile, read_file(path), path.string(),
                      {profile::MessageSizeConvention::kBlock});
  return surrogate::complete(profile::load_timings(profile, system, collective));
}

// Every fourth communicator size: what a session measures.
Timings part_of(const Timings& truth, std::ptrdiff_t step = 4) {
  const InstanceGrid grid = make_map_grid(truth);
  const std::vector<std::uint64_t>& sizes = grid.communicator_sizes();
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < truth.instances.size(); ++i) {
    const auto at = std::ranges::find(sizes, truth.instances[i].communicator_size);
    if ((at - sizes.begin()) % step == 0) kept.push_back(i);
  }
  return select_instances(truth, kept);
}

// The noise that samples are drawn with: standard deviations of log time, for a single sample and
// for a method on the day of the session, and the share of samples that take twice as long.
struct Noise {
  const char* name;
  double sample = 0;
  double day = 0;
  double twice = 0;
};

Timings session(const Timings& truth, const Noise& noise, std::size_t count, std::uint64_t seed) {
  SeededRandom random(seed);
  Timings measured = truth;
  std::vector<double> day;
  for (std::size_t m = 0; m < truth.methods.size(); ++m) day.push_back(noise.day * random.normal());
  for (std::size_t at = 0; at < measured.time_us.size(); ++at) {
    const double time_us = measured.time_us[at].measured_us();
    std::vector<double> samples;
    for (std::size_t s = 0; s < count; ++s) {
      const double mode = random.uniform() < noise.twice ? 2 : 1;
      samples.push_back(time_us * mode *
                        std::exp(day[at % day.size()] + noise.sample * random.normal()));
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
    const Model model =
        parse_fitter(fitter).fit({session(part, {"", spread}, kSamplesOfATuning, seed)});
    const auto share = 1 / static_cast<double>(tunings);
    mean.measured += share * slower_share(part, model);
    mean.all += share * slower_share(truth, model);
    mean.change += share * *summarize(penalty_points(truth, model)).versus_default;
  }
  return mean;
}

TEST(NoHarm, WhatIsDeployedIsRarelySlowerThanTheLibrary) {
  const char* asked = std::getenv("COLLTREE_TUNINGS");
  const std::size_t tunings = asked == nullptr ? 1 : std::strtoul(asked, nullptr, 10);
  for (const std::string system : {"orfeo-epyc-core", "orfeo-epyc-node"}) {
    for (const Collective collective : {Collective::kBcast, Collective::kReduce}) {
      const bool hard = (system == "orfeo-epyc-core") == (collective == Collective::kBcast);
      if (asked == nullptr && !hard) continue;
      const Timings truth = truth_of(system, collective);
      for (const double spread :
           asked == nullptr ? std::vector{0.10} : std::vector{0.02, 0.05, 0.10}) {
        const Harm bold = harm(truth, "optimal:leaves=auto,caution=0", spread, tunings);
        const Harm usual = harm(truth, "optimal:leaves=auto", spread, tunings);
        const Harm careful = harm(truth, "optimal:leaves=auto,caution=10", spread, tunings);
        fmt::print("{} {:6} {:2.0f} %:", system, name(collective), 100 * spread);
        for (const Harm& one : {bold, usual, careful}) {
          fmt::print("  {:5.2f} {:5.2f} {:+6.1f}", 100 * one.measured, 100 * one.all,
                     100 * one.change);
        }
        fmt::print("\n");
        EXPECT_LE(careful.measured, 0.01);
        EXPECT_LE(careful.measured, bold.measured);
        EXPECT_LT(careful.change, 0);
        EXPECT_LT(usual.change, 0);
      }
    }
  }
}

// What was stated at instances where another method is chosen, by how likely harm was said to be,
// and at how many of them it happened.
struct Stated {
  double count = 0;
  double stated = 0;
  double happened = 0;
};
constexpr double kBins[] = {0.01, 0.05, 0.2, 1};
using Calibration = std::array<Stated, std::size(kBins)>;

void add_stated(Calibration& bins, const Timings& truth, const Timings& measured,
                const Model& model) {
  const std::vector<surrogate::Belief> beliefs = surrogate::beliefs(measured, truth.instances);
  const std::size_t methods = measured.methods.size();
  const std::size_t own = measured.default_column().value();
  for (std::size_t i = 0; i < truth.instances.size(); ++i) {
    const Method& chosen = model.decide(truth.instances[i]);
    const auto found = std::ranges::find(measured.methods, chosen);
    const auto column = static_cast<std::size_t>(found - measured.methods.begin());
    const double time_us = truth.time_of(i, chosen).known_us();
    if (column == own || std::isnan(time_us)) continue;
    const double stated =
        surrogate::chance_slower(beliefs[i * methods + column], beliefs[i * methods + own], 0.02);
    Stated& bin = bins[static_cast<std::size_t>(std::ranges::lower_bound(kBins, stated) - kBins)];
    bin.count += 1;
    bin.stated += stated;
    bin.happened += time_us > 1.02 * truth.default_us[i].known_us() ? 1 : 0;
  }
}

TEST(NoHarm, HappensAsOftenAsIsStated) {
  const char* asked = std::getenv("COLLTREE_TUNINGS");
  const std::size_t tunings = asked == nullptr ? 1 : std::strtoul(asked, nullptr, 10);
  constexpr Noise kNoises[] = {
      {"5 %", 0.05}, {"20 %", 0.2}, {"two modes", 0.05, 0, 0.2}, {"another day", 0.05, 0.1}};
  for (const std::size_t of : testing::sampled(std::size(kNoises))) {
    const Noise& noise = kNoises[of];
    for (const std::size_t samples : {1, 3, 10}) {
      if (asked == nullptr && samples != 3) continue;
      Calibration bins = {};
      for (const std::string system : {"orfeo-epyc-core", "orfeo-epyc-node"}) {
        if (asked == nullptr && system != "orfeo-epyc-core") continue;
        const Timings truth = truth_of(system, Collective::kBcast);
        const Timings part = part_of(truth, 8);
        for (std::uint64_t seed = 1; seed <= tunings; ++seed) {
          const Timings measured = session(part, noise, samples, seed);
          add_stated(bins, truth, measured, parse_fitter("optimal:leaves=auto").fit({measured}));
        }
      }
      fmt::print("{:12} {:2} samples:", noise.name, samples);
      for (const Stated& one : bins) {
        fmt::print("  {:6.0f} {:5.2f} {:5.2f}", one.count, 100 * one.stated / one.count,
                   100 * one.happened / one.count);
      }
      fmt::print("\n");
      EXPECT_LE(bins[0].happened, 0.05 * bins[0].count) << noise.name;
    }
  }
}

}  // namespace
}  // namespace colltree::model
