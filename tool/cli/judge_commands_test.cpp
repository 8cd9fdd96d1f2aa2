// SPDX-License-Identifier: BSD-3-Clause
// evaluate with held-out points and noise, from the command line.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include "base/file.h"
#include "base/json.h"
#include "base/test_paths.h"
#include "cli/test_run.h"
#include "profile/test_profile.h"

namespace colltree::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// bcast on 2, 4, 8, 16 ranks with 64 B to 256 KB: binomial is best up to 1 KB, then linear, by a
// factor of two; on 8 ranks with 16 KB binomial is better by a thousandth. Samples: `factors` of
// the time of binomial, one each.
void write_session(const std::filesystem::path& path, const std::vector<double>& factors,
                   const std::string& source = "portable") {
  profile::Profile profile(path, profile::OpenMode::kWrite);
  profile::CampaignInfo info = profile::campaign("grig");
  info.source = source;
  info.uid = source;
  const profile::CampaignId id = profile.begin_campaign(info);
  std::vector<profile::Cell> cells;
  for (const std::uint64_t ranks : {2, 4, 8, 16}) {
    for (const std::uint64_t bytes : {64, 1024, 16384, 262144}) {
      double binomial = bytes <= 1024 ? 10 : 20;
      if (ranks == 8 && bytes == 16384) binomial = 9.99;
      std::vector<double> samples;
      for (const double factor : factors) samples.push_back(binomial * factor);
      cells.push_back(profile::cell(ranks, bytes, {"binomial", 0}, samples));
      cells.push_back(
          profile::cell(ranks, bytes, {"linear", 0},
                        std::vector<double>(factors.size(), bytes <= 1024 ? 20.0 : 10.0)));
    }
  }
  profile.record(id, cells);
}

std::string session(const std::string& name, const std::vector<double>& factors) {
  const auto path = fresh_path(name);
  write_session(path, factors);
  return path.string();
}

std::string model_of(const std::string& profile, const std::string& kind = "quadtree") {
  const std::string model = fresh_path("judged.json").string();
  EXPECT_EQ(colltree_run({"fit", kind, profile, "--collective", "bcast", "-o", model}).exit_code,
            0);
  return model;
}

Json evaluated(std::vector<std::string> words) {
  words.insert(words.begin(), "evaluate");
  words.emplace_back("--json");
  const Outcome outcome = colltree_run(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return Json::parse(outcome.out);
}

Json row(const Json& report, const std::string& chooser) {
  for (const Json& one : report["collectives"][0]["choosers"]) {
    if (one["chooser"] == chooser) return one;
  }
  return {};
}

TEST(Evaluate, FitsAgainWithoutEachFold) {
  const std::string profile = session("P.db", {1});
  const std::string model = model_of(profile);
  const Json report = evaluated({model, "--on", profile, "--held-out",
                                 "communicator_sizes,message_sizes,blocks", "--folds", "2"});
  EXPECT_EQ(report["performance_penalty"]["mean"], 0.0);
  const Json by_ranks = row(report, "held out: communicator_sizes")["performance_penalty"];
  EXPECT_EQ(by_ranks["instances"], 16);
  // Sizes beside each other decide alike but for 8 ranks with 16 KB.
  EXPECT_EQ(by_ranks["median"], 0.0);
  EXPECT_GT(by_ranks["mean"].number(), 0);
  EXPECT_LT(by_ranks["mean"].number(), 0.2);
  EXPECT_TRUE(by_ranks.contains("mean_interval"));
  EXPECT_GT(row(report, "held out: message_sizes")["performance_penalty"]["max"].number(), 0.5);
  EXPECT_FALSE(row(report, "held out: blocks").empty());
  EXPECT_EQ(report, evaluated({model, "--on", profile, "--held-out",
                               "communicator_sizes,message_sizes,blocks", "--folds", "2"}));
}

TEST(Evaluate, TellsOtherSessionsFromTheTrainingGrid) {
  const std::string monday = session("P.db", {1});
  const std::string tuesday = session("Q.db", {1.01});
  const std::string model = model_of(monday);
  EXPECT_THAT(colltree_run({"evaluate", model, "--on", monday}).out,
              HasSubstr(", training grid\n"));
  EXPECT_THAT(colltree_run({"evaluate", model, "--on", tuesday}).out,
              HasSubstr(", other timings of its system\n"));
}

TEST(Evaluate, NoiseFloorOfHalvesCampaignsAndSessions) {
  const std::string one = session("P.db", {1});
  EXPECT_TRUE(row(evaluated({model_of(one), "--on", one}), "noise floor").empty());
  const std::string repeated = session("R.db", {1, 1});
  const Json halves = row(evaluated({model_of(one), "--on", repeated}), "noise floor");
  EXPECT_EQ(halves["detail"], "half 1 -> half 2, 2 methods, 100 % same best");
  EXPECT_EQ(halves["performance_penalty"]["max"], 0.0);
  // Binomial three times slower: linear is best everywhere. Judged in the other session each
  // session's best loses half of the time somewhere.
  const std::string slow = session("Q.db", {3});
  const Json between = row(evaluated({model_of(one), "--on", one, "--on", slow}), "noise floor");
  EXPECT_NEAR(between["same_best"].number(), 7.0 / 16, 1e-9);
  EXPECT_GT(between["performance_penalty"]["mean"].number(), 0.3);
  write_session(one, {3}, "portable again");
  EXPECT_THAT(row(evaluated({model_of(slow), "--on", one}), "noise floor")["detail"].text(),
              StartsWith("half 1 -> half 2, "));
  EXPECT_THAT(
      colltree_run({"evaluate", model_of(slow), "--on", one}).out,
      AllOf(HasSubstr("noise floor (earlier campaign -> later campaign, 2 methods, 44 % same "
                      "best)"),
            HasSubstr("noise floor (later campaign -> earlier campaign, ")));
}

Json floor_row(const Json& report, const std::string& start) {
  for (const Json& one : report["collectives"][0]["choosers"]) {
    const std::string& detail = one["detail"].text();
    if (one["chooser"] == "noise floor" && detail.starts_with(start)) return one;
  }
  return {};
}

double mean_of(const Json& one) { return one["performance_penalty"]["mean"].number(); }

// Two real sessions: what the first one's best methods lose in the second is not what the second
// one's lose in the first.
TEST(Evaluate, NoiseFloorByDirectionOfRealSessions) {
  std::vector<std::string> profiles;
  for (const char* number : {"1", "2"}) {
    const std::string file = colltree::testing::data_dir().string() + "/tuolumne_alltoall_session" +
                             number + "_reps.csv.gz";
    profiles.push_back(fresh_path(std::string("tuolumne") + number + ".db").string());
    ASSERT_EQ(colltree_run({"import", file, "-o", profiles.back()}).exit_code, 0);
  }
  const std::string model = fresh_path("tuolumne.json").string();
  ASSERT_EQ(colltree_run({"fit", "quadtree", profiles[0], "--collective", "alltoall", "-o", model})
                .exit_code,
            0);
  const Json report = evaluated({model, "--on", profiles[0], "--on", profiles[1]});
  const Json there = floor_row(report, "tuolumne1.db -> tuolumne2.db, 23 methods, ");
  const Json back = floor_row(report, "tuolumne2.db -> tuolumne1.db, 23 methods, ");
  EXPECT_NEAR(mean_of(there), 0.44, 0.01);
  EXPECT_NEAR(mean_of(back), 0.17, 0.01);
  EXPECT_NEAR(mean_of(row(report, "default")), 1.60, 0.01);
}

TEST(Evaluate, SaysWhyThereIsNoNoiseFloor) {
  const std::string one = session("P.db", {1});
  EXPECT_THAT(colltree_run({"evaluate", model_of(one), "--on", one}).out,
              HasSubstr("  no noise floor: at every instance some method has a single sample, and "
                        "no two campaigns have an instance and a method in common; measure again, "
                        "or name another session with --on\n"));
  const std::string repeated = session("R.db", {1, 1});
  EXPECT_THAT(colltree_run({"evaluate", model_of(one), "--on", repeated}).out,
              Not(HasSubstr("no noise floor")));
}

// Each cell of the imported table has its median three times: not three samples.
TEST(Evaluate, CopiesOfAMedianMakeNoNoiseFloor) {
  std::string rows =
      "system,mpi,collective,procs,nodes,ppn,msg_bytes,algorithm,segment_bytes,rep,time_us\n";
  for (const char* cell : {"4,,,8,linear,0,{},0.50", "4,,,8,binomial,0,{},0.75",
                           "4,,,64,linear,0,{},2.5", "4,,,64,binomial,0,{},1.25"}) {
    for (int repetition = 0; repetition < 3; ++repetition)
      rows += "nano,,bcast," + fmt::format(fmt::runtime(cell), repetition) + "\n";
  }
  const auto table = fresh_path("copied.csv");
  write_file(table, rows);
  const std::string profile = fresh_path("copied.db").string();
  ASSERT_EQ(colltree_run({"import", table.string(), "-o", profile}).exit_code, 0);
  for (const auto& [words, option] :
       {std::pair(std::vector<std::string>{"evaluate", model_of(profile), "--on", profile}, "--on"),
        std::pair(std::vector<std::string>{"evaluate", "compare", profile, "--held-out", "none"},
                  "--on")}) {
    const std::string out = colltree_run(words).out;
    EXPECT_THAT(out, Not(HasSubstr("half 1")));
    EXPECT_THAT(out, HasSubstr(fmt::format(
                         "  no noise floor: the repetitions are equal to the last digit, so they "
                         "are copies of one sample, and no two campaigns have an instance and a "
                         "method in common; measure again, or name another session with {}\n",
                         option)));
  }
}

std::vector<std::string> quick_compare(std::vector<std::string> words) {
  words.insert(words.begin(), {"evaluate", "compare"});
  words.insert(words.end(), {"--fit", "quadtree", "--held-out", "none"});
  return words;
}

Json compared(std::vector<std::string> words) {
  words = quick_compare(std::move(words));
  words.emplace_back("--json");
  const Outcome outcome = colltree_run(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return Json::parse(outcome.out);
}

double mean_there(const Json& one) { return mean_of(one["on"]); }

// The noise floor in this direction is what the exact best methods of this session lose in the
// other one; in their own session they lose nothing.
TEST(Compare, JudgesByAnotherSession) {
  const std::string monday = session("P.db", {1});
  const std::string tuesday = session("Q.db", {3});
  const Json report = compared({monday, "--on", tuesday});
  EXPECT_EQ(mean_of(row(report, "quadtree")), 0);
  EXPECT_EQ(mean_of(row(report, "exact map")), 0);
  const double floor = mean_there(floor_row(report, "P.db -> Q.db, 2 methods, "));
  EXPECT_GT(floor, 0.2);
  for (const char* chooser : {"quadtree", "interpolation", "exact map"}) {
    EXPECT_NEAR(mean_there(row(report, chooser)), floor, 1e-12) << chooser;
  }
  EXPECT_GT(mean_of(floor_row(report, "Q.db -> P.db, ")), 0.2);
  EXPECT_FALSE(floor_row(report, "Q.db -> P.db, ").contains("on"));
  const Json& on = report["collectives"][0]["on"];
  EXPECT_EQ(on["profile"], "Q.db");
  EXPECT_EQ(on["provenance"], "simulated");
  EXPECT_EQ(on["instances"], 16);
  EXPECT_EQ(on["other_methods"], 0);
}

// A third method that only the second session has is neither its best nor a choice; instances that
// only one of them has are not judged.
TEST(Compare, JudgesByWhatBothSessionsHave) {
  const std::string monday = session("P.db", {1});
  const auto tuesday = fresh_path("Q.db");
  {
    profile::Profile profile(tuesday, profile::OpenMode::kWrite);
    const profile::CampaignId id = profile.begin_campaign(profile::campaign("grig"));
    profile.record(id, std::vector<profile::Cell>{profile::cell(2, 64, {"binomial", 0}, {1}),
                                                  profile::cell(2, 64, {"linear", 0}, {2}),
                                                  profile::cell(2, 64, {"chain", 0}, {0.1}),
                                                  profile::cell(3, 64, {"linear", 0}, {2})});
  }
  const std::vector<std::string> words = quick_compare({monday, "--on", tuesday.string()});
  EXPECT_THAT(
      colltree_run(words).out,
      HasSubstr("  on Q.db (simulated): grig, smpi-3.32, judged at 1 of 2 instances among 2 "
                "methods of both (1 in one only)\n"));
  const Json report = compared({monday, "--on", tuesday.string()});
  EXPECT_EQ(mean_there(row(report, "exact map")), 0);
}

std::string with_systems(const std::string& name, std::vector<profile::CampaignInfo> campaigns,
                         const char* algorithm = "binomial") {
  const auto path = fresh_path(name);
  profile::Profile profile(path, profile::OpenMode::kWrite);
  for (const profile::CampaignInfo& info : campaigns) {
    const profile::CampaignId id = profile.begin_campaign(info);
    profile.record(id, std::vector<profile::Cell>{profile::cell(2, 64, {algorithm, 0}, {11}),
                                                  profile::cell(2, 64, {"linear", 0}, {21})});
  }
  return path.string();
}

profile::CampaignInfo measured_campaign(const std::string& system) {
  profile::CampaignInfo info = profile::campaign(system);
  info.system.provenance = profile::kProvenanceMeasured;
  return info;
}

TEST(Compare, NamesTheSystemOfTheOtherSession) {
  const std::string here = session("P.db", {1});
  // Of several that of the same name; of one that one.
  const auto system_of = [&](std::vector<std::string> words) {
    words.insert(words.begin(), here);
    return compared(words)["collectives"][0]["on"]["system"].text();
  };
  const std::string both =
      with_systems("Q.db", {profile::campaign("frodo"), profile::campaign("grig")});
  EXPECT_EQ(system_of({"--on", both}), "grig");
  EXPECT_EQ(system_of({"--on", with_systems("R.db", {profile::campaign("frodo")})}), "frodo");
}

TEST(Compare, SimulatedAndMeasuredTimesAreToldApart) {
  const std::string here = session("P.db", {1});
  const std::string real = with_systems("Q.db", {measured_campaign("grig")});
  const std::vector<std::string> words = quick_compare({here, "--on", real});
  EXPECT_THAT(colltree_run(words).out,
              AllOf(HasSubstr("fitted to simulated times, judged by measured ones\n"),
                    HasSubstr("  on Q.db (measured)")));
  std::vector<std::string> csv = words;
  csv.insert(csv.end(), {"-o", "-"});
  EXPECT_THAT(colltree_run(csv).out, HasSubstr(",\"on Q.db (measured)\",1,0,"));
}

TEST(Compare, RefusesSessionsThatCannotBeCompared) {
  const std::string here = session("P.db", {1});
  const auto other_point = fresh_path("points.db");
  const auto other_collective = fresh_path("reduce.db");
  {
    profile::Profile points(other_point, profile::OpenMode::kWrite);
    points.record(points.begin_campaign(profile::campaign("grig")),
                  std::vector<profile::Cell>{profile::cell(3, 64, {"linear", 0}, {1})});
    profile::Profile reduce(other_collective, profile::OpenMode::kWrite);
    profile::Cell one = profile::cell(2, 64, {"linear", 0}, {1});
    one.key.instance.collective = Collective::kReduce;
    reduce.record(reduce.begin_campaign(profile::campaign("grig")),
                  std::vector<profile::Cell>{one});
  }
  const auto other_method = fresh_path("methods.db");
  {
    profile::Profile profile(other_method, profile::OpenMode::kWrite);
    profile.record(profile.begin_campaign(profile::campaign("grig")),
                   std::vector<profile::Cell>{profile::cell(2, 64, {"chain", 0}, {1})});
  }
  const std::string several =
      with_systems("several.db", {profile::campaign("frodo"), profile::campaign("gandalf")});
  const struct {
    std::vector<std::string> words;
    std::string error;
    int exit_code = 1;
  } kBad[] = {
      {{"--on", here}, "P.db: holds the same times of bcast as P.db: name another session"},
      {{"--on", other_point.string()},
       "points.db: has no instance of bcast in common with P.db: sizes and placement must be the "
       "same"},
      {{"--on", other_method.string()}, "methods.db: has no method of bcast in common with P.db"},
      {{"--on", other_collective.string()},
       other_collective.string() + ": has no timings of bcast"},
      {{"--on", several},
       several + ": holds several systems (frodo, gandalf), and none is called 'grig'; bring one "
                 "into a profile of its own (colltree export --system NAME, colltree import)"},
  };
  for (const auto& bad : kBad) {
    std::vector<std::string> words = bad.words;
    words.insert(words.begin(), here);
    const Outcome outcome = colltree_run(quick_compare(words));
    EXPECT_EQ(outcome.exit_code, bad.exit_code) << bad.error;
    EXPECT_THAT(outcome.err, StartsWith("colltree: " + bad.error + "\n"));
    EXPECT_EQ(outcome.out, "");
  }
}

TEST(Compare, PrintsModelsAloneAsCsv) {
  const std::string profile = session("P.db", {1});
  const std::string model = model_of(profile);
  const std::vector<std::string> words = {"evaluate", "compare", profile, model};
  std::vector<std::string> csv = words;
  csv.insert(csv.end(), {"-o", "-"});
  const std::string table = colltree_run(csv).out;
  EXPECT_THAT(table, StartsWith("system,collective,chooser,detail,leaves,"));
  EXPECT_THAT(table, HasSubstr(",\"best fixed\","));
  EXPECT_THAT(table, HasSubstr(",\"" + model + "\",\"quadtree\","));
  EXPECT_THAT(table, Not(HasSubstr("quadtree:")));
  csv.emplace_back("--json");
  EXPECT_EQ(colltree_run(csv).exit_code, 2);
  EXPECT_EQ(colltree_run({"evaluate", "compare", profile, profile, "--details"}).exit_code, 2);
  EXPECT_EQ(colltree_run({"show", profile, "--time", "mean"}).exit_code, 2);
}

TEST(Evaluate, WhatCannotBeFittedAgainIsRefused) {
  const std::string rules = (colltree::testing::data_dir() / "models" / "rules.json").string();
  EXPECT_THAT(
      colltree_run({"evaluate", rules, "--on", session("P.db", {1}), "--held-out", "blocks"}).err,
      HasSubstr("a model of kind 'rules' was not fitted here, so it cannot be fitted again"));
}

}  // namespace
}  // namespace colltree::cli
