// SPDX-License-Identifier: BSD-3-Clause
// Known figures of real machines (tests/data): what the library's own choice and one fixed method
// cost in hindsight beside the algorithms that can be asked for, in % as mean / median / max over
// the instances.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/input.h"
#include "base/test_paths.h"
#include "profile/import.h"
#include "profile/load_timings.h"
#include "profile/test_profile.h"
#include "surrogate/complete.h"
#include "timings/penalty.h"

namespace colltree::evaluate {
namespace {

profile::Profile imported(const std::string& file, profile::MessageSizeConvention convention) {
  profile::Profile profile(fresh_path(file + ".db"), profile::OpenMode::kWrite);
  const auto path = colltree::testing::data_dir() / (file + ".csv.gz");
  profile::import_csv(profile, read_file(path), path.string(), {convention});
  return profile;
}

constexpr profile::LoadOptions kOnlyAlgorithms{.default_candidate = false};

// A percentage as the data's description prints it: two digits below 10, else whole.
double printed(double fraction) {
  const double percent = 100 * fraction;
  return percent < 9.95 ? std::round(percent * 10) / 10 : std::round(percent);
}

std::vector<double> figures(const PenaltyPoints& points) {
  const PenaltySummary summary = summarize(points);
  return {printed(summary.mean), printed(summary.median), printed(summary.max)};
}

using ::testing::ElementsAre;

TEST(Hindsight, Orfeo) {
  struct Known {
    const char* system;
    Collective collective;
    const char* fixed_method;
    std::vector<double> fixed;
    std::vector<double> chosen_by_default;
  };
  const Known known[] = {
      {"orfeo-epyc-core", Collective::kBcast, "binomial", {14, 0, 162}, {9.1, 0, 199}},
      {"orfeo-epyc-core", Collective::kReduce, "binary", {78, 26, 524}, {5.6, 0, 354}},
      {"orfeo-epyc-node", Collective::kBcast, "binomial", {6.3, 0, 187}, {70, 51, 407}},
      {"orfeo-epyc-node", Collective::kReduce, "binary", {12, 0, 270}, {566, 503, 2768}},
  };
  const profile::Profile profile =
      imported("orfeo_epyc_openmpi_bcast_reduce", profile::MessageSizeConvention::kBlock);
  for (const Known& one : known) {
    const Timings timings = surrogate::complete(
        profile::load_timings(profile, one.system, one.collective, kOnlyAlgorithms));
    EXPECT_EQ(timings.instances.size(), 1344U);
    const auto fixed = best_fixed_method(timings);
    EXPECT_EQ(fixed->method.algorithm, one.fixed_method);
    EXPECT_EQ(figures(fixed->points), one.fixed) << one.system << " " << name(one.collective);
    EXPECT_EQ(figures(default_penalty_points(timings)), one.chosen_by_default)
        << one.system << " " << name(one.collective);
    EXPECT_TRUE(fixed->points.cannot_run.empty());
  }
}

struct Sums {
  PenaltyPoints chosen_by_default;
  PenaltyPoints fixed;
};

Sums sums(const profile::Profile& profile, const std::string& system) {
  Sums sums;
  for (const Collective collective : profile.collectives(system)) {
    const Timings timings =
        surrogate::complete(profile::load_timings(profile, system, collective, kOnlyAlgorithms));
    sums.chosen_by_default.add(default_penalty_points(timings));
    sums.fixed.add(best_fixed_method(timings)->points);
  }
  return sums;
}

TEST(Hindsight, Fugaku) {
  const Sums fugaku =
      sums(imported("fugaku_fjmpi_8coll", profile::MessageSizeConvention::kTotal), "fugaku");
  EXPECT_THAT(figures(fugaku.chosen_by_default), ElementsAre(83, 3.5, 3718));
  EXPECT_EQ(fugaku.chosen_by_default.values.size(), 277U);  // one more has no method beside it
  // The description's 120 / 13 / 3065 takes per collective the least mean where the method runs,
  // though it fails to run at one instance; ours must run first.
  EXPECT_THAT(figures(fugaku.fixed), ElementsAre(150, 27, 3065));
  EXPECT_TRUE(fugaku.fixed.cannot_run.empty());
}

TEST(Hindsight, FugakuFixedWhereItRuns) {
  const profile::Profile profile =
      imported("fugaku_fjmpi_8coll", profile::MessageSizeConvention::kTotal);
  PenaltyPoints total;
  for (const Collective collective : profile.collectives("fugaku")) {
    const Timings timings =
        surrogate::complete(profile::load_timings(profile, "fugaku", collective, kOnlyAlgorithms));
    PenaltyPoints best;
    for (const Method& method : timings.methods) {
      PenaltyPoints points = penalty_points(timings, [&](const Instance&) { return method; });
      if (best.values.empty() || summarize(points).mean < summarize(best).mean) best = points;
    }
    total.add(best);
  }
  EXPECT_THAT(figures(total), ElementsAre(120, 12, 3065));
  EXPECT_EQ(total.cannot_run.size(), 1U);
}

TEST(Hindsight, Dane) {
  const Sums dane = sums(imported("dane_alltoall", profile::MessageSizeConvention::kBlock), "dane");
  EXPECT_THAT(figures(dane.chosen_by_default), ElementsAre(619, 140, 7418));
  EXPECT_THAT(figures(dane.fixed), ElementsAre(38, 27, 302));
}

}  // namespace
}  // namespace colltree::evaluate
