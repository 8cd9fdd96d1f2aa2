// SPDX-License-Identifier: BSD-3-Clause
// The formulas of the network model, show --parameters and compare --fit loggp on a stored
// simulated campaign.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "base/test_paths.h"
#include "cli/loaded_models.h"
#include "cli/test_run.h"
#include "coll/catalogue.h"
#include "parametric/prediction.h"
#include "profile/test_profile.h"
#include "surrogate/complete.h"

namespace colltree::cli {
namespace {

using ::testing::HasSubstr;

std::string tiny() {
  const std::string profile = fresh_path("tiny.db").string();
  EXPECT_EQ(colltree_run({"import",
                          (testing::source_dir() / "tests/campaign/grig_tiny-3.32.csv").string(),
                          "-o", profile})
                .exit_code,
            0);
  return profile;
}

// Without a linear bcast.
std::string without_linear() {
  const auto path = fresh_path("chain.db");
  profile::Profile profile(path, profile::OpenMode::kWrite);
  const profile::CampaignId id = profile.begin_campaign(profile::campaign("grig"));
  std::vector<profile::Cell> cells;
  for (const std::uint64_t ranks : {4, 8}) {
    for (const std::uint64_t bytes : {64, 4096})
      cells.push_back(
          profile::cell(ranks, bytes, {"binomial", 0}, {10.0 * static_cast<double>(ranks)}));
  }
  profile.record(id, cells);
  return path.string();
}

Json json_of(std::vector<std::string> words) {
  words.emplace_back("--json");
  const Outcome outcome = colltree_run(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return Json::parse(outcome.out);
}

// What the formulas say before anything puts them right, of every collective that is stored: they
// follow what libs/mpi/algorithms does. In a simulator without noise; a wrong formula shows here.
TEST(Predict, FormulasAreNearTheSimulation) {
  const ProfileOptions options{.profile = tiny()};
  const profile::Profile profile(options.profile, profile::OpenMode::kRead);
  const profile::SystemInfo system = profile.require_system({});
  for (const Collective collective :
       {Collective::kBcast, Collective::kReduce, Collective::kAlltoall}) {
    const Timings timings =
        *surrogate::complete(profile::find_timings(profile, system.name, collective, {}));
    const parametric::Predictor predictor(MeasuredNetwork(options, system).network_of(collective),
                                          timings);
    std::vector<double> factors;
    for (std::size_t i = 0; i < timings.instances.size(); ++i) {
      const Instance& at = timings.instances[i];
      for (const Method& method : applicable_methods(timings.methods, at)) {
        const auto prediction = predictor.predict(method, at);
        const double measured_us = timings.time_of(i, method).measured_us();
        if (!prediction || std::isnan(measured_us)) continue;
        const double ratio = measured_us / prediction->formula_us;
        factors.push_back(std::max(ratio, 1 / ratio));
      }
    }
    ASSERT_GE(factors.size(), 75U);
    std::ranges::sort(factors);
    EXPECT_LT(factors[factors.size() / 2], 1.1) << name(collective);
    EXPECT_LT(factors[factors.size() * 9 / 10], 1.5) << name(collective);
    EXPECT_LT(factors.back(), 2.5) << name(collective);
  }
}

TEST(ShowParameters, SaysWhatIsWrong) {
  const Outcome both = colltree_run({"show", tiny(), "--parameters", "--map"});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_THAT(both.err, HasSubstr("--parameters: goes with a profile"));
  const Outcome missing = colltree_run({"show", without_linear(), "--parameters"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.err, HasSubstr("no times of bcast linear"));
}

TEST(ShowParameters, OfTheNetworkModel) {
  const std::string profile = tiny();
  const Outcome text = colltree_run({"show", profile, "--parameters"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("\n  loggp    L "));
  EXPECT_THAT(text.out, HasSubstr("\n  folding  gamma "));
  const Json system = json_of({"show", profile, "--parameters"})[0];
  // The platform's links and overheads (docs/tasks/simulating.md): 25 us and 7 us at each end, 12.5
  // MB/s, 7 us and 1 ns/B for what the formulas call g and gamma.
  const Json loggp = system["loggp"];
  EXPECT_NEAR(loggp["L_us"].number() + 2 * loggp["o_us"].number(), 65, 5);
  EXPECT_NEAR(loggp["G_us_per_byte"].number(), 0.088, 0.01);
  EXPECT_NEAR(loggp["g_us"].number(), 6.5, 1);
  EXPECT_NEAR(system["gamma_us_per_byte"].number(), 0.001, 1e-4);
}

// The parameters are not fitted to the points that are judged, so held-out points lose the same.
TEST(CompareNetworkModel, HasARowOfItsOwn) {
  const Json report = json_of({"evaluate", "compare", tiny(), "--collective", "bcast", "--fit",
                               " loggp;quadtree", "--held-out", "message_sizes"});
  const Json rows = report["collectives"][0]["choosers"];
  std::vector<std::string> names;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    names.push_back(rows[i]["chooser"].text());
    if (names.back() != "loggp") continue;
    const double mean = rows[i]["performance_penalty"]["mean"].number();
    EXPECT_GT(mean, 0);
    EXPECT_LT(mean, 0.5);
    EXPECT_EQ(rows[i]["held_out"]["message_sizes"]["performance_penalty"]["mean"].number(), mean);
  }
  EXPECT_THAT(names, ::testing::IsSupersetOf({"loggp", "quadtree"}));
}

TEST(CompareNetworkModel, SaysWhatIsMissing) {
  const Outcome outcome = colltree_run(
      {"evaluate", "compare", without_linear(), "--fit", "loggp", "--held-out", "none"});
  EXPECT_THAT(outcome.out + outcome.err, HasSubstr("no times of bcast linear"));
}

}  // namespace
}  // namespace colltree::cli
