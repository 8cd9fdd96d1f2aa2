// SPDX-License-Identifier: BSD-3-Clause
#include "report/method_maps.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <iterator>

#include "model/model.h"
#include "report/test_maps.h"

namespace colltree::report {
namespace {

using testing::tiny_timings;

Method always_linear(const Instance&) { return {"linear", 0}; }

TEST(MethodMaps, WhatIsChosenAndWhatItLoses) {
  const Timings timings = tiny_timings();
  EXPECT_THAT(chosen_map(timings, always_linear).methods, ::testing::Each(Method{"linear", 0}));
  // (0 + 0 + 90/60 + 20/15 + 200/100 - 3) / 5
  EXPECT_EQ(penalty_text(summarize(penalty_points(timings, always_linear))),
            "mean 36.7 %, max 100 %");
}

TEST(MethodMaps, PenaltyOfWhatCannotRunOrWasNotMeasured) {
  const Timings timings = tiny_timings();
  const auto never = [](const Instance& at) {
    return at.message_size == 4096 ? Method{"chain", 0} : Method{"binomial", 0};
  };
  std::vector<std::size_t> steps;
  for (const double penalty : penalty_map(timings, penalty_points(timings, never)).penalty)
    steps.push_back(penalty_step(penalty));
  const std::size_t cannot_run = std::size(kPenaltySteps);
  EXPECT_THAT(steps, ::testing::ElementsAre(2, 2, cannot_run, 0, cannot_run + 1, cannot_run));
}

model::RuleTree two_level_tree() {
  model::RuleTree tree;
  tree.methods = {{"linear", 0}, {"binomial", 1024}};
  tree.roots = {{Collective::kBcast, 0}};
  tree.nodes = {
      {.attribute = Attribute::kMessageSize, .threshold = 2048, .low = 1, .high = 2},
      {.method = 0},
      {.attribute = Attribute::kCommunicatorSizeIsPowerOfTwo, .threshold = 0, .low = 3, .high = 4},
      {.method = 0},
      {.method = 1}};
  return tree;
}

TEST(MethodMaps, MapOfAModelAloneShowsEveryThreshold) {
  const model::Model model =
      model::rules_model({"s", "measured", {Collective::kBcast}, 1}, two_level_tree());
  const MethodMap map = chosen_map(model, Collective::kBcast);
  EXPECT_THAT(map.message_sizes, ::testing::IsSupersetOf({1, 2048, 2049, 4096}));
  EXPECT_THAT(map.communicator_sizes, ::testing::IsSupersetOf({2, 3, 4, 5, 6, 7, 8, 16}));
  EXPECT_THAT(map.methods, ::testing::Contains(Method{"binomial", 1024}));
}

// Powers of two alone would show only even messages and no other large communicator.
TEST(MethodMaps, MapOfAModelAloneShowsBothAnswersOfADerivedTest) {
  model::RuleTree tree = two_level_tree();
  tree.nodes = {
      {.attribute = Attribute::kCommunicatorSize, .threshold = 1000, .low = 1, .high = 2},
      {.attribute = Attribute::kMessageSizeIsEven, .threshold = 0, .low = 3, .high = 4},
      {.attribute = Attribute::kCommunicatorSizeIsPowerOfTwo, .threshold = 0, .low = 5, .high = 6},
      {.method = 0},
      {.method = 1},
      {.method = 0},
      {.method = 1}};
  const model::Model model = model::rules_model({"s", "measured", {Collective::kBcast}, 1}, tree);
  const MethodMap map = chosen_map(model, Collective::kBcast);
  const auto method = [&](std::uint64_t ranks, std::uint64_t bytes) -> std::string {
    const auto row = std::ranges::find(map.communicator_sizes, ranks);
    const auto column = std::ranges::find(map.message_sizes, bytes);
    if (row == map.communicator_sizes.end() || column == map.message_sizes.end()) return "nowhere";
    const auto first = (row - map.communicator_sizes.begin()) * std::ssize(map.message_sizes);
    return map.methods[static_cast<std::size_t>(first + (column - map.message_sizes.begin()))]
        .label();
  };
  EXPECT_EQ(method(2, 4096), "Binomial_1K");
  EXPECT_EQ(method(2, 4097), "Linear_0K");
  EXPECT_EQ(method(1024, 8192), "Binomial_1K");
  EXPECT_EQ(method(1025, 8192), "Linear_0K");
}

}  // namespace
}  // namespace colltree::report
