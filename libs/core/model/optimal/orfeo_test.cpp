// SPDX-License-Identifier: BSD-3-Clause
// Values that an independent programme found on real timings (tests/data).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/input.h"
#include "base/json.h"
#include "base/test_paths.h"
#include "base/test_sample.h"
#include "model/kinds/optimal.h"
#include "profile/import.h"
#include "profile/load_timings.h"
#include "profile/test_profile.h"
#include "surrogate/complete.h"

namespace colltree::model {
namespace {

TEST(OptimalModel, OrfeoHasTheKnownOptima) {
  struct Known {
    Collective collective;
    std::size_t leaves;
    double percent;
  };
  const Known known[] = {{Collective::kBcast, 5, 1.5738},   {Collective::kBcast, 10, 0.7496},
                         {Collective::kBcast, 21, 0.4179},  {Collective::kReduce, 5, 4.4059},
                         {Collective::kReduce, 10, 0.8743}, {Collective::kReduce, 21, 0.1806}};
  const std::string file = "orfeo_epyc_openmpi_bcast_reduce";
  profile::Profile profile(fresh_path(file + ".db"), profile::OpenMode::kWrite);
  const auto path = colltree::testing::data_dir() / (file + ".csv.gz");
  profile::import_csv(profile, read_file(path), path.string(),
                      {profile::MessageSizeConvention::kBlock});
  for (const std::size_t i : testing::sampled(2)) {
    const Collective collective = i == 0 ? Collective::kBcast : Collective::kReduce;
    const std::vector<Timings> timings = {surrogate::complete(profile::load_timings(
        profile, "orfeo-epyc-core", collective, {.default_candidate = false}))};
    const auto models = fit_optimal_sizes(timings, {.leaves = 21});
    for (const Known& one : known) {
      if (one.collective != collective) continue;
      const Certificate& proof = *models.at(one.leaves - 1).statistics.certificate;
      EXPECT_EQ(proof.leaves, one.leaves);
      EXPECT_TRUE(proof.optimal);
      EXPECT_NEAR(100 * proof.value, one.percent, 0.5e-4);
      EXPECT_LT(proof.tolerance, 1e-9);
    }
  }
}

}  // namespace
}  // namespace colltree::model
