// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/bounds.h"
#include "base/json.h"
#include "base/text.h"
#include "model/fitter.h"
#include "model/model.h"
#include "report/chooser_data.h"
#include "report/command_lines.h"
#include "report/report.h"
#include "timings/penalty.h"
#include "timings/penalty_json.h"
#include "timings/test_times.h"

namespace colltree::report {
namespace {

// Two methods that cross at 8 bytes, a third that runs on 4 ranks only; the default is slow.
Timings small_timings() {
  Timings timings;
  timings.system = "made-up";
  timings.provenance = profile::kProvenanceImported;
  timings.methods = {{"linear", 0}, {"binomial", 0}, {"chain", std::nullopt}};
  for (const std::uint64_t ranks : {2, 4, 8}) {
    for (const std::uint64_t bytes : {1, 4, 16, 64}) {
      timings.instances.push_back({Collective::kBcast, ranks, bytes});
      const double linear = 1 + static_cast<double>(bytes);
      for (const double time : {linear, 9.0, ranks == 4 ? 20.0 : kNoTime}) {
        timings.time_us.push_back(time);
      }
      timings.default_us.push_back(ranks == 8 ? kNoTime : 3 * linear);
    }
  }
  testing::set_intervals(timings.time_us, 1, 1);
  return timings;
}

// As an import has it: the default is a method among the others, where it was measured.
void add_default_candidate(Timings& timings) {
  const std::size_t methods = timings.methods.size();
  Times times;
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    for (std::size_t m = 0; m < methods; ++m) times.push_back(timings.time_at(i, m));
    times.push_back(timings.default_us[i]);
  }
  timings.methods.push_back(library_default());
  timings.time_us = times;
  testing::set_intervals(timings.time_us, 1, 1);
}

ReportInput input_of(Timings timings) {
  ReportInput input{.profile = "p q.db", .command = "colltree report"};
  input.overview.system = {timings.system, timings.provenance, "test-1.0", "", ""};
  input.timings.push_back(std::move(timings));
  input.deployed = true;
  input.most_leaves = 4;
  return input;
}

Json chooser(const Json& data, const std::string& id) {
  for (const Json& one : data["collectives"][0]["choosers"]) {
    if (one["id"] == id) return one;
  }
  return nullptr;
}

// What is fitted to three communicator sizes is judged on sizes that were held out.
TEST(ReportData, AdvisesWhatThePolicySays) {
  const auto advice = [](const ReportInput& input) {
    const Json data = make_report(input);
    std::string words;
    for (const char* id : {"default", "optimal"}) words += " " + chooser(data, id)["advice"].text();
    return words;
  };
  ReportInput input = input_of(small_timings());
  EXPECT_EQ(advice(input), " keep deploy");
  input.is_undecided = true;
  EXPECT_EQ(advice(input), " disturbed disturbed");
  input.timings[0].provenance = profile::kProvenanceSimulated;
  EXPECT_EQ(advice(input), " simulated simulated");
  input = input_of(small_timings());
  Times faster;
  for (std::size_t i = 0; i < input.timings[0].instances.size(); ++i) faster.push_back(0.5);
  input.timings[0].default_us = faster;
  EXPECT_EQ(advice(input), " keep keep") << "the library is faster than all methods";
}

TEST(ReportData, HoldsTheFiguresOfEvaluate) {
  const Timings timings = small_timings();
  const Json data = make_report(input_of(timings));
  const Json entry = chooser(data, "default")["entries"][0];
  EXPECT_EQ(entry["performance_penalty"],
            penalty_json(summarize(default_penalty_points(timings), Bootstrap{})));
  EXPECT_EQ(entry["penalty"].size(), timings.instances.size());
  EXPECT_TRUE(entry["penalty"][entry["penalty"].size() - 1].is_null())
      << "the default was not measured on 8 ranks";
  EXPECT_FALSE(entry.contains("method")) << "nobody knows what it runs";
  const Json fixed = chooser(data, "fixed");
  EXPECT_EQ(fixed["detail"], best_fixed_method(timings)->method.label());
}

TEST(ReportData, EveryBudgetThatGainsIsThere) {
  const Json optimal = chooser(make_report(input_of(small_timings())), "optimal");
  ASSERT_EQ(optimal["entries"].size(), 2U) << "two methods, one crossing: more leaves gain nothing";
  EXPECT_EQ(optimal["entries"][1]["leaves"], 2);
  EXPECT_EQ(optimal["entries"][1]["performance_penalty"]["mean"], 0);
  EXPECT_EQ(optimal["start"], 1);
  EXPECT_THAT(optimal["fit_command"].text(),
              ::testing::HasSubstr("fit optimal 'p q.db' --system made-up"));
}

// The same decisions and the same command as tune's, also where the default is a candidate.
TEST(ReportData, ShowsTheModelThatTuneDeploys) {
  Timings timings = small_timings();
  for (const bool candidate : {false, true}) {
    if (candidate) add_default_candidate(timings);
    const Json deployed = chooser(make_report(input_of(timings)), "deployed");
    const model::Model model = model::parse_fitter(model::deployed_fitter()).fit({timings});
    MethodIndex index(timings);
    EXPECT_EQ(deployed["detail"], "optimal:leaves=auto");
    EXPECT_EQ(deployed["entries"][0]["tree"], tree_json(model.rules, Collective::kBcast, index));
    EXPECT_EQ(deployed["fit_command"].text(),
              "colltree fit optimal 'p q.db' --system made-up --collective bcast --parameters "
              "leaves=auto -o "
              "bcast.json");
  }
}

TEST(ReportData, LeavesOutTheModelToDeployWhereNotAsked) {
  ReportInput input = input_of(small_timings());
  EXPECT_FALSE(chooser(make_report(input), "deployed").is_null());
  input.deployed = false;
  EXPECT_TRUE(chooser(make_report(input), "deployed").is_null());
}

// What tune's verification changed: of the kind rules, which nobody fits again.
TEST(ReportData, ShowsAVerifiedModelBeside) {
  const Timings timings = small_timings();
  model::Model model = model::parse_fitter(model::deployed_fitter()).fit({timings});
  model = model::rules_model(model.origin, model.rules);
  ReportInput input = input_of(timings);
  input.models.push_back({"tuned/bcast.json", std::make_shared<model::Model>(model)});
  const Json given = chooser(make_report(input), "tuned/bcast.json");
  const Json deployed = chooser(make_report(input), "deployed");
  EXPECT_EQ(given["detail"], "rules");
  EXPECT_EQ(given["entries"][0]["tree"], deployed["entries"][0]["tree"]);
  EXPECT_EQ(given["no_held_out"],
            "a model of kind 'rules' was not fitted here, so it cannot be fitted again");
}

// A tree of two collectives, with a split that decides nothing: of each its own leaves.
TEST(ReportData, CountsTheLeavesOfTheCollectiveAsDrawn) {
  const Timings timings = small_timings();
  model::RuleTree tree;
  tree.methods = {{"linear", 0}, {"binomial", 0}};
  tree.roots = {{Collective::kBcast, 0}, {Collective::kReduce, 5}};
  tree.nodes = {{.attribute = Attribute::kMessageSize, .threshold = 8, .low = 1, .high = 2},
                {.method = 0},
                {.attribute = Attribute::kCommunicatorSize, .threshold = 4, .low = 3, .high = 4},
                {.method = 1},
                {.method = 1},
                {.method = 0}};
  model::ModelOrigin origin = model::origin_of({timings});
  origin.collectives.push_back(Collective::kReduce);
  ReportInput input = input_of(timings);
  input.models.push_back(
      {"rules.json", std::make_shared<model::Model>(model::rules_model(origin, tree))});
  const Json report = make_report(input);
  const Json given = chooser(report, "rules.json")["entries"][0];
  EXPECT_EQ(given["leaves"], 2);
  EXPECT_EQ(given["tree"].size(), 3U);
}

TEST(ReportData, HoldsTheVerdictOfTuneAndTheTargetsOfTheLibrary) {
  ReportInput input = input_of(small_timings());
  input.verdict = "Verdict for made-up";
  input.overview.system.mpi = "openmpi-4.1.4";
  const Json data = make_report(input);
  EXPECT_EQ(data["verdict"], "Verdict for made-up");
  std::vector<std::string> useful;
  for (const Json& emitter : data["emitters"]) {
    if (emitter["useful"].flag()) useful.push_back(emitter["target"].text());
  }
  EXPECT_THAT(useful, ::testing::ElementsAre("c", "cdt", "openmpi-4.1"));
}

TEST(ReportData, NamesNoCommandThatCannotRun) {
  ReportInput input = input_of(small_timings());
  profile::StoredCampaign campaign;
  campaign.info.system = {"kit", std::string(profile::kProvenanceMeasured), "m", "", ""};
  input.overview.campaigns.push_back(campaign);
  EXPECT_THAT(origin_commands(input),
              ::testing::ElementsAre("# kit: the command of this campaign is not known"));
}

// Sizes that differ from row to row: the searches would take minutes.
TEST(ReportData, LeavesOutTheModelToDeployWhereItTakesLong) {
  Timings timings;
  timings.system = "made-up";
  timings.provenance = profile::kProvenanceImported;
  timings.methods = {{"linear", 0}};
  for (std::uint64_t i = 0; i < 45; ++i) {  // 1035 x 1035 rectangles
    timings.instances.push_back({Collective::kBcast, 2 + i, 1 + i});
    timings.time_us.push_back(1);
    timings.default_us.push_back(kNoTime);
  }
  EXPECT_TRUE(chooser(make_report(input_of(timings)), "deployed").is_null());
}

TEST(ReportData, OpensWhereTheDefaultLosesMost) {
  ReportInput input = input_of(small_timings());
  EXPECT_EQ(make_report(input)["opens_on"], "bcast");
  Timings worse = small_timings();
  worse.collective = Collective::kReduce;
  for (Instance& instance : worse.instances) instance.collective = Collective::kReduce;
  input.timings.push_back(worse);
  EXPECT_EQ(make_report(input)["opens_on"], "bcast") << "of two alike the first";
  for (std::size_t i = 0; i < worse.instances.size(); ++i)
    testing::scale(input.timings[1].default_us, i, 2);
  EXPECT_EQ(make_report(input)["opens_on"], "reduce");
  input.timings[1].default_us.assign(worse.instances.size(), kNoTime);
  EXPECT_EQ(make_report(input)["opens_on"], "bcast");
}

TEST(ReportData, OnlyMethodsThatAreShownAreInTheLegend) {
  const Json legend = make_report(input_of(small_timings()))["collectives"][0]["legend"];
  EXPECT_EQ(legend, Json::array({0, 1})) << "chain is the best nowhere";
}

TEST(ReportData, SaysWhichTimesWerePredicted) {
  Timings timings = small_timings();
  EXPECT_FALSE(make_report(input_of(timings))["collectives"][0].contains("predicted"));
  timings.time_us.set(0, Time::predicted(2, {1, 4}));
  timings.default_us.set(1, Time::predicted(15, {10, 20}));
  const Json data = make_report(input_of(timings));
  const Json& bcast = data["collectives"][0];
  EXPECT_EQ(bcast["predicted"].size(), timings.time_us.size());
  EXPECT_EQ(bcast["predicted"][0], 1);
  EXPECT_EQ(bcast["predicted"][1], 0);
  EXPECT_EQ(bcast["default_predicted"][1], 1);
  EXPECT_EQ(bcast["low_us"][0], 1);
  EXPECT_EQ(chooser(data, "default")["entries"][0]["performance_penalty"]["predicted"], 2)
      << "where the best or the default was predicted";
}

TEST(ReportData, IntervalsOnlyWhereTheySaySomething) {
  Timings timings = small_timings();
  EXPECT_TRUE(make_report(input_of(timings))["collectives"][0]["low_us"].is_null());
  // Linear, the best at the first instance, may be as slow as the others.
  testing::set_interval(timings.time_us, 0, {2, 100});
  const Json data = make_report(input_of(timings))["collectives"][0];
  EXPECT_EQ(data["high_us"][0], 100);
  EXPECT_EQ(data["rivals"][0], 1);
  EXPECT_EQ(data["rivals"][1], 0);
}

// Control characters of a reason that a job wrote.
// The same sizes on one and on four ranks a node: a group of maps each.
TEST(ReportCommands, SizeListsReadBack) {
  for (const std::set<std::uint64_t>& sizes :
       {std::set<std::uint64_t>{2, 3, 4, 5, 28}, {1, 2}, {1024, 1025, 1448, 393216}, {7}}) {
    const std::vector<std::uint64_t> expected(sizes.begin(), sizes.end());
    EXPECT_EQ(parse_size_list(size_list(sizes, true), {}, "x"), expected) << size_list(sizes, true);
    EXPECT_EQ(parse_size_list(size_list(sizes, false), {}, "x"), expected)
        << size_list(sizes, false);
  }
  EXPECT_EQ(size_list({2, 3, 4, 5, 28}, false), "2..5,28");
}

TEST(ReportCommands, WordsAreQuotedForTheShell) {
  EXPECT_EQ(shell_word("grig.db"), "grig.db");
  EXPECT_EQ(shell_word("mpirun -np {ranks}"), "'mpirun -np {ranks}'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("\xFF'\n.db"), R"($'\xFF\'\x0A.db')");
}

TEST(ReportCommands, SayWhereTimingsComeFrom) {
  ReportInput input = input_of(small_timings());
  profile::StoredCampaign imported;
  imported.info.system = input.overview.system;
  imported.info.source = "a.csv";
  imported.info.options = R"({"message_size":"total","split_placements":true})";
  profile::StoredCampaign measured;
  measured.info.system.provenance = profile::kProvenanceMeasured;
  measured.info.options = R"({"launcher":"srun -n {ranks}"})";
  input.overview.campaigns = {imported, measured};
  input.overview.collectives[Collective::kBcast] = {.communicator_sizes = {2, 3, 4},
                                                    .message_sizes = {1, 1024}};
  EXPECT_THAT(origin_commands(input),
              ::testing::ElementsAre(
                  "colltree import a.csv --message-sizes total --split-placements -o 'p q.db'",
                  "colltree measure --launcher 'srun -n {ranks}' --collective bcast "
                  "--communicator-sizes 2..4 --message-sizes 1B,1K -o 'p q.db'"));
}

TEST(ReportRegions, CutBothAxesIntoThirds) {
  const std::vector<GridRegion> regions = regions_of(small_timings());
  ASSERT_EQ(regions.size(), 9U);
  EXPECT_EQ(regions[2].communicator_sizes.last, 2U);
  EXPECT_EQ(regions[2].message_sizes.first, 16U);  // of four sizes: 1, 1, 2
  EXPECT_EQ(regions[2].message_sizes.last, 64U);
  std::size_t instances = 0;
  for (const GridRegion& region : regions) instances += region.instances.size();
  EXPECT_EQ(instances, 12U) << "each instance in one region";
}

TEST(ReportTree, HoldsWhatTheRootReaches) {
  model::RuleTree tree;
  tree.methods = {{"linear", 0}, {"binomial", 0}};
  model::append_leaf(tree, 0);  // of another collective
  const std::uint32_t root = model::append_test(tree, Attribute::kMessageSize, 8);
  tree.nodes[root].low = model::append_leaf(tree, 1);
  tree.nodes[root].high = model::append_leaf(tree, 0);
  tree.roots = {{Collective::kReduce, 0}, {Collective::kBcast, root}};
  MethodIndex index(small_timings());
  EXPECT_EQ(tree_json(tree, Collective::kBcast, index),
            Json::parse(R"([["message_size",8,1,2],[1],[0]])"));
}

TEST(ShortNumber, KeepsSixDigits) {
  EXPECT_EQ(short_number(12345.678, kTimeDigits).dump(), "12345.7");
  EXPECT_EQ(short_number(3, kTimeDigits).dump(), "3");
  EXPECT_EQ(short_number(1.0 / 3, kPenaltyDigits).dump(), "0.33333");
  EXPECT_TRUE(short_number(kNoTime, kTimeDigits).is_null());
}

}  // namespace
}  // namespace colltree::report
