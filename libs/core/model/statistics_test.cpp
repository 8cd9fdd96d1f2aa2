// SPDX-License-Identifier: BSD-3-Clause
// The statistics of a model as JSON: each part read back, what a file may lack, what is refused.
#include "model/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/test_scratch.h"

namespace colltree::model {
namespace {

using ::testing::ElementsAre;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// bcast: two leaves; reduce: one.
RuleTree small_rules() {
  RuleTree tree{.methods = {{"a", 0}, {"b", 0}},
                .roots = {{Collective::kBcast, 0}, {Collective::kReduce, 2}}};
  append_test(tree, Attribute::kMessageSize, 100);
  append_leaf(tree, 0);
  append_leaf(tree, 1);
  tree.nodes[0].low = 1;
  tree.nodes[0].high = 2;
  return tree;
}

Statistics read_again(const Statistics& statistics) {
  return statistics_from_json(Json::parse(to_json(statistics).dump()), small_rules());
}

TEST(Statistics, ShapesAreReadBack) {
  Statistics statistics{.shape = {5, 9, 1, 3, 2.5}};
  statistics.shapes = {{Collective::kBcast, {2, 3, 1, 1, 1}},
                       {Collective::kReduce, {7, 8, 0, 2, 1.25}}};
  const Statistics read = read_again(statistics);
  EXPECT_EQ(read.shape.leaves, 5U);
  EXPECT_EQ(read.shape.nodes, 9U);
  EXPECT_EQ(read.shape.min_depth, 1U);
  EXPECT_EQ(read.shape.max_depth, 3U);
  EXPECT_EQ(read.shape.mean_depth, 2.5);
  ASSERT_EQ(read.shapes.size(), 2U);
  EXPECT_EQ(read.shapes[0].second.leaves, 2U);
  EXPECT_EQ(read.shapes[1].first, Collective::kReduce);
  EXPECT_EQ(read.shapes[1].second.mean_depth, 1.25);
  EXPECT_FALSE(read.penalty || read.pruning || read.rules || read.certificate || read.smoothing ||
               read.expectation);
}

TEST(Statistics, WhatAFileDoesNotSayOfTheShapeIsThatOfItsRules) {
  const Statistics read =
      statistics_from_json(Json{{"leaves", 40}, {"bcast", Json::object()}}, small_rules());
  EXPECT_EQ(read.shape.leaves, 40U);
  EXPECT_EQ(read.shape.nodes, 4U);  // three of bcast, one of them reduce's, too
  EXPECT_EQ(read.shape.max_depth, 1U);
  ASSERT_EQ(read.shapes.size(), 1U);
  EXPECT_EQ(read.shapes[0].second.leaves, 2U);
}

TEST(Statistics, PenaltiesOfEachCollectiveAreReadBack) {
  Statistics statistics;
  statistics.penalty = TrainingPenalty{.overall = {.instances = 3, .mean = 0.25}, .cannot_run = 2};
  statistics.penalty->by_collective = {{Collective::kBcast, {.instances = 1, .mean = 0.125}},
                                       {Collective::kReduce, {.instances = 2, .max = 4}}};
  const Statistics read = read_again(statistics);
  ASSERT_TRUE(read.penalty);
  EXPECT_EQ(read.penalty->overall.mean, 0.25);
  EXPECT_EQ(read.penalty->cannot_run, 2U);
  ASSERT_EQ(read.penalty->by_collective.size(), 2U);
  EXPECT_EQ(read.penalty->by_collective[0].second.mean, 0.125);
  EXPECT_EQ(read.penalty->by_collective[1].first, Collective::kReduce);
  EXPECT_EQ(read.penalty->by_collective[1].second.max, 4);
}

TEST(Statistics, PruningAndRuleCountsAreReadBack) {
  Statistics statistics;
  statistics.pruning = Pruning{{31, 61, 2, 0.02}, {12, 23, 9, 0.09}, 0.11};
  EXPECT_EQ(read_again(statistics).pruning, statistics.pruning);
  Statistics rules;
  rules.rules = RuleCounts{6, 11, 4, 0.04};
  const auto read = read_again(rules).rules;
  ASSERT_TRUE(read);
  EXPECT_EQ(read->rules, 6U);
  EXPECT_EQ(read->conditions, 11U);
  EXPECT_EQ(read->errors, 4U);
  EXPECT_EQ(read->error_rate, 0.04);
}

Statistics proved() {
  Statistics statistics;
  statistics.certificate = Certificate{.optimal = true,
                                       .objective = "p95",
                                       .leaves = 8,
                                       .value = 0.5,
                                       .lower_bound = 0.4,
                                       .tolerance = 1e-9,
                                       .tests = {"communicator_size", "message_size"},
                                       .grid = {12, 21},
                                       .points = 252,
                                       .methods = 9,
                                       .time_limit_s = 60};
  statistics.frontier = {
      {1, kInfinite, 2}, {2, 1.5, 1.5}, {3, 1.25, 0.5}, {4, kInfinite, kInfinite}};
  return statistics;
}

TEST(Statistics, CertificatesAreReadBackThoughJsonHasNoInfinity) {
  const Statistics statistics = proved();
  const Statistics read = read_again(statistics);
  ASSERT_TRUE(read.certificate);
  EXPECT_TRUE(read.certificate->optimal);
  EXPECT_EQ(read.certificate->objective, "p95");
  EXPECT_EQ(read.certificate->value, 0.5);
  EXPECT_EQ(read.certificate->lower_bound, 0.4);
  EXPECT_EQ(read.certificate->tolerance, 1e-9);
  EXPECT_THAT(read.certificate->tests, ElementsAre("communicator_size", "message_size"));
  EXPECT_THAT(read.certificate->grid, ElementsAre(12, 21));
  EXPECT_EQ(read.certificate->points, 252U);
  EXPECT_EQ(read.certificate->methods, 9U);
  EXPECT_EQ(read.certificate->time_limit_s, 60);
  ASSERT_EQ(read.frontier.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(read.frontier[i].leaves, statistics.frontier[i].leaves);
    EXPECT_EQ(read.frontier[i].value, statistics.frontier[i].value);
    EXPECT_EQ(read.frontier[i].lower_bound, statistics.frontier[i].lower_bound);
  }
  EXPECT_EQ(to_json(statistics)["frontier"][1].size(), 2U) << "a proved value has no bound";
  Statistics none = proved();
  none.certificate->optimal = false;
  none.certificate->value = kInfinite;
  none.certificate->time_limit_s.reset();
  EXPECT_EQ(to_json(none)["certificate"]["status"], Json("bounded"));
  EXPECT_EQ(read_again(none).certificate->value, kInfinite);
  EXPECT_FALSE(read_again(none).certificate->time_limit_s);
  EXPECT_FALSE(read_again(none).certificate->optimal);
}

TEST(Statistics, WhatIsExpectedIsReadBack) {
  Statistics statistics;
  statistics.expectation = Expectation{-0.25, 0.03, 0.1, true, {{96, 0.5}, {12, 0.25}}};
  const auto read = read_again(statistics).expectation;
  ASSERT_TRUE(read);
  EXPECT_EQ(read->versus_default, -0.25);
  EXPECT_EQ(read->share_slower, 0.03);
  EXPECT_EQ(read->session_deviation, 0.1);
  EXPECT_TRUE(read->session_measured);
  ASSERT_EQ(read->worth.size(), 2U);
  EXPECT_EQ(read->worth[1].communicator_size, 12U);
  EXPECT_EQ(read->worth[1].saving, 0.25);
  statistics.expectation = Expectation{};
  EXPECT_FALSE(read_again(statistics).expectation->versus_default);
}

TEST(Statistics, SmoothingIsReadBack) {
  Statistics statistics;
  statistics.smoothing = Smoothing{"c45", 0.05, 77};
  const auto read = read_again(statistics).smoothing;
  ASSERT_TRUE(read);
  EXPECT_EQ(read->kind, "c45");
  EXPECT_EQ(read->within, 0.05);
  EXPECT_EQ(read->leaves_before, 77U);
}

TEST(Statistics, WhatIsWrongIsNamed) {
  struct Case {
    const char* json;
    const char* error;
  };
  const Case cases[] = {
      {R"({"leaves":-1})", "'leaves' must be an integer >= 0, not -1"},
      {R"({"mean_depth":"deep"})", "'mean_depth' must be a number"},
      {R"({"bcast":3})", "'bcast' must be an object"},
      {R"({"performance_penalty":[]})", "'performance_penalty' must be an object"},
      {R"({"performance_penalty":{},"performance_penalty_by_collective":{"bcats":{}}})",
       "unknown collective 'bcats'; did you mean 'bcast'?"},
      {R"({"after_pruning":{}})", "field 'before_pruning' is missing"},
      {R"({"rules":3})", "field 'conditions' is missing"},
      {R"({"smoothed":{"kind":"c45"}})", "field 'within' is missing"},
      {R"({"certificate":{"status":"optimal"}})", "field 'objective' is missing"},
      {R"({"expectation":{"share_slower":0,"session_deviation":0.1,"session_measured":false,)"
       R"("versus_default":null,"worth_measuring":[8]}})",
       "worth_measuring[0]: expected [communicator size, saving]"},
      {R"({"expectation":{}})", "field 'share_slower' is missing"},
      {R"({"frontier":[[1,0.5],[2]]})", "frontier[1]: expected [leaves, value, bound]"},
      {R"({"frontier":[[1,"low"]]})", "frontier[0]: 'value' must be a number or null"},
      {R"({"frontier":[[1.5,1]]})", "frontier[0]: 'leaves' must be an integer >= 0, not 1.5"},
  };
  for (const Case& one : cases)
    EXPECT_EQ(error_of([&] { statistics_from_json(Json::parse(one.json), small_rules()); }),
              one.error)
        << one.json;
  Json proof = to_json(proved());
  proof["certificate"]["tests"] = {1};
  EXPECT_EQ(error_of([&] { statistics_from_json(proof, small_rules()); }),
            "tests[0]: expected the name of an attribute");
}

}  // namespace
}  // namespace colltree::model
