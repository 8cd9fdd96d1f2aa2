// SPDX-License-Identifier: BSD-3-Clause
// predict, show --parameters and compare --fit loggp: from the command line, on a stored simulated
// campaign.
#include <gmock/gmock.h>

#include "base/json.h"
#include "base/test_paths.h"
#include "cli/test_run.h"
#include "profile/test_profile.h"

namespace colltree::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

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

std::vector<std::string> bcast_at(const std::string& profile, const std::string& ranks,
                                  const std::string& bytes) {
  return {"study", "predict",         profile, "--collective", "bcast", "--communicator-sizes",
          ranks,   "--message-sizes", bytes};
}

TEST(Predict, RanksTheMethodsAndMarksWhatIsExtrapolated) {
  const Json report = json_of(bcast_at(tiny(), "8,16", "1K"));
  EXPECT_EQ(report.at("model").get<std::string>(), "loggp");
  EXPECT_EQ(report.at("system").get<std::string>(), "grig");
  const Json rows = report.at("predictions");
  ASSERT_EQ(rows.size(), 10U) << "five for each instance";
  double before = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Json row = rows.at(i);
    const bool inside = row.at("communicator_size").get<std::uint64_t>() == 8;
    const double time = row.at("time_us").get<double>();
    EXPECT_EQ(row.at("extrapolated").get<bool>(), !inside);
    EXPECT_EQ(row.at("measured_us").is_null(), !inside);
    if (i != 5) {
      EXPECT_GE(time, before);
    }
    before = time;
    EXPECT_LE(row.at("interval_us").at("low").get<double>(), time);
    EXPECT_GE(row.at("interval_us").at("high").get<double>(), time);
    EXPECT_NEAR(time / row.at("formula_us").get<double>(), 1, 0.5);
  }
}

TEST(Predict, TextAndCsv) {
  const std::string profile = tiny();
  std::vector<std::string> words = bcast_at(profile, "8,64", "1024");
  words.insert(words.end(), {"--methods", "linear,pipeline"});
  const Outcome text = colltree_run(words);
  EXPECT_THAT(text.out, StartsWith("bcast on grig (imported), by loggp\n"
                                   "     ranks      bytes  method                    time us  "));
  EXPECT_THAT(text.out, HasSubstr("        8       1024  Linear_0K "));
  EXPECT_THAT(text.out, HasSubstr("  * extrapolated: "));
  words.emplace_back("--csv");
  const Outcome csv = colltree_run(words);
  EXPECT_THAT(csv.out,
              StartsWith("system,collective,model,communicator_size,message_size,algorithm,"
                         "segment_bytes,time_us,low_us,high_us,formula_us,measured_us,cells,"
                         "extrapolated\ngrig,bcast,loggp,8,1024,"));
}

// What the formulas say before anything puts them right, of every collective that is stored: they
// follow what src/algorithms does. In a simulator without noise; a wrong formula shows here.
TEST(Predict, FormulasAreNearTheSimulation) {
  const std::string profile = tiny();
  for (const std::string collective : {"bcast", "reduce", "alltoall"}) {
    const Json report =
        json_of({"study", "predict", profile, "--collective", collective, "--communicator-sizes",
                 "2..5,8", "--message-sizes", "1,64,1K,4K,32K", "--most", "1000"});
    std::vector<double> factors;
    for (std::size_t i = 0; i < report.at("predictions").size(); ++i) {
      const Json row = report.at("predictions").at(i);
      if (row.at("measured_us").is_null()) continue;
      const double ratio = row.at("measured_us").get<double>() / row.at("formula_us").get<double>();
      factors.push_back(std::max(ratio, 1 / ratio));
    }
    ASSERT_GE(factors.size(), 75U);
    std::ranges::sort(factors);
    EXPECT_LT(factors[factors.size() / 2], 1.1) << collective;
    EXPECT_LT(factors[factors.size() * 9 / 10], 1.5) << collective;
    EXPECT_LT(factors.back(), 2.5) << collective;
  }
}

// A collective that was never measured stands on its formulas alone.
TEST(Predict, WithoutMeasurementsOfTheCollective) {
  const Json report = json_of({"study", "predict", tiny(), "--collective", "allreduce", "--methods",
                               "ring", "--communicator-sizes", "8", "--message-sizes", "64K"});
  const Json row = report.at("predictions").at(0);
  EXPECT_TRUE(row.at("interval_us").is_null());
  EXPECT_EQ(row.at("time_us").get<double>(), row.at("formula_us").get<double>());
  EXPECT_TRUE(row.at("extrapolated").get<bool>());
}

TEST(Predict, WhatIsWrong) {
  const std::string profile = tiny();
  const std::string chain = without_linear();
  struct Case {
    std::vector<std::string> words;
    int exit_code;
    std::string text;
  };
  const auto with = [](std::vector<std::string> words, std::vector<std::string> more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const Case cases[] = {
      {with(bcast_at(profile, "8", "1K"), {"--methods", "default"}), 2,
       "--methods: there is no formula for the library's own choice"},
      {with(bcast_at(profile, "8", "1K"), {"--methods", "binomail"}), 1, "'binomail'"},
      {with(bcast_at(profile, "8", "1K"), {"--csv", "--json"}), 2,
       "--csv and --json: give one of them"},
      {bcast_at(profile, "0", "1K"), 2, "--communicator-sizes"},
      {{"study", "predict", profile, "--communicator-sizes", "8", "--message-sizes", "1"},
       2,
       "--collective"},
      {{"study", "predict", profile, "--collective", "barrier", "--communicator-sizes", "8",
        "--message-sizes", "0"},
       1,
       profile + ": no method of barrier there has a formula; --methods names some: colltree "
                 "measure methods --collective barrier"},
      {bcast_at(chain, "8", "1K"), 1,
       chain + ": grig has no times of bcast linear at two communicator sizes"},
      {{"study", "predict", chain, "--collective", "reduce", "--methods", "linear",
        "--communicator-sizes", "8", "--message-sizes", "1"},
       1,
       "colltree measure --platform grig --collective bcast,reduce --methods linear,binary"},
      {{"show", profile, "--parameters", "--map"}, 2, "--parameters: goes with a profile"},
      {{"show", chain, "--parameters"}, 1, "no times of bcast linear"},
  };
  for (const Case& c : cases) {
    const Outcome outcome = colltree_run(c.words);
    EXPECT_EQ(outcome.exit_code, c.exit_code) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(c.text));
    EXPECT_EQ(outcome.out, "");
  }
}

TEST(ShowParameters, OfTheNetworkModel) {
  const std::string profile = tiny();
  const Outcome text = colltree_run({"show", profile, "--parameters"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("\n  loggp    L "));
  EXPECT_THAT(text.out, HasSubstr("\n  folding  gamma "));
  const Json system = json_of({"show", profile, "--parameters"}).at(0);
  // The platform's links and overheads (docs/tasks/simulating.md): 25 us and 7 us at each end, 12.5
  // MB/s, 7 us and 1 ns/B for what the formulas call g and gamma.
  const Json loggp = system.at("loggp");
  EXPECT_NEAR(loggp.at("L_us").get<double>() + 2 * loggp.at("o_us").get<double>(), 65, 5);
  EXPECT_NEAR(loggp.at("G_us_per_byte").get<double>(), 0.088, 0.01);
  EXPECT_NEAR(loggp.at("g_us").get<double>(), 6.5, 1);
  EXPECT_NEAR(system.at("gamma_us_per_byte").get<double>(), 0.001, 1e-4);
}

// The parameters are not fitted to the points that are judged, so held-out points lose the same.
TEST(CompareNetworkModel, HasARowOfItsOwn) {
  const Json report = json_of({"evaluate", "compare", tiny(), "--collective", "bcast", "--fit",
                               " loggp;quadtree", "--held-out", "message_sizes", "--no-times"});
  const Json rows = report.at("collectives").at(0).at("choosers");
  std::vector<std::string> names;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    names.push_back(rows.at(i).at("chooser").get<std::string>());
    if (names.back() != "loggp") continue;
    const double mean = rows.at(i).at("performance_penalty").at("mean").get<double>();
    EXPECT_GT(mean, 0);
    EXPECT_LT(mean, 0.5);
    EXPECT_EQ(rows.at(i)
                  .at("held_out")
                  .at("message_sizes")
                  .at("performance_penalty")
                  .at("mean")
                  .get<double>(),
              mean);
  }
  EXPECT_THAT(names, ::testing::IsSupersetOf({"loggp", "quadtree"}));
}

TEST(CompareNetworkModel, SaysWhatIsMissing) {
  const Outcome outcome = colltree_run({"evaluate", "compare", without_linear(), "--fit", "loggp",
                                        "--held-out", "none", "--no-times"});
  EXPECT_THAT(outcome.out + outcome.err, HasSubstr("no times of bcast linear"));
}

}  // namespace
}  // namespace colltree::cli
