// SPDX-License-Identifier: BSD-3-Clause
#include "model/kinds/c45_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "model/test_models.h"

namespace colltree::model {
namespace {

using ::testing::HasSubstr;

// Binomial wins up to 1024 bytes, then linear; reduce has its own method above 8 ranks.
Timings timings_of(Collective collective) {
  Timings timings{.system = "toy", .provenance = "simulated", .collective = collective};
  timings.methods = {{"binomial", 0}, {"linear", 0}, {"pipeline", 8192}};
  for (std::uint64_t ranks = 2; ranks <= 32; ranks *= 2) {
    for (std::uint64_t bytes = 1; bytes <= (1U << 20); bytes *= 2) {
      timings.instances.push_back({collective, ranks, bytes});
      const bool wide = collective == Collective::kReduce && ranks > 8;
      const std::size_t best = wide ? 2 : bytes <= 1024 ? 0 : 1;
      for (std::size_t m = 0; m < 3; ++m) timings.time_us.push_back(m == best ? 10 : 20);
      timings.default_us.push_back(kNoTime);
    }
  }
  return timings;
}

Model fit_c45(const std::vector<Timings>& timings, const C45Options& options = {}) {
  return fit_c45_tree(timings, options);
}

TEST(C45Model, DecidesTheBestMethodOfEachInstance) {
  const std::vector<Timings> timings = {timings_of(Collective::kBcast),
                                        timings_of(Collective::kReduce)};
  const Model model = fit_c45(timings);
  for (const Timings& one : timings) {
    for (std::size_t i = 0; i < one.instances.size(); ++i) {
      EXPECT_EQ(one.time_of(i, model.decide(one.instances[i])).known_us(), 10);
    }
  }
  EXPECT_EQ(model.statistics.pruning->after.errors, 0U);
  EXPECT_THROW(model.decide({Collective::kScan, 4, 4}), Error);
}

TEST(C45Model, TextIsThePapersForm) {
  EXPECT_EQ(fit_c45({timings_of(Collective::kBcast)}).text,
            "message_size <= 1024 : Binomial_0K (55.0/1.4)\n"
            "message_size > 1024 : Linear_0K (50.0/1.4)\n");
}

// The case of an instance, as the tree was trained on.
std::uint32_t classify(const c45::Tree& tree, const C45Table& table, const Instance& at) {
  std::uint32_t index = 0;
  while (!tree.nodes[index].is_leaf()) {
    const c45::Node& node = tree.nodes[index];
    const C45Feature feature = table.features[node.attribute];
    std::uint32_t branch = 0;
    if (feature != C45Feature::kCollective) {
      branch = feature_value(feature, at) <= node.cut ? 0 : 1;
    } else {
      const auto value = std::ranges::find(table.collectives, at.collective);
      const auto number = static_cast<std::uint32_t>(value - table.collectives.begin()) + 1;
      branch = c45::branch_of_value(tree, node, number);
      if (branch == c45::kNoBranch) break;
    }
    index = tree.branches(node)[branch];
  }
  return tree.nodes[index].label;
}

TEST(C45Model, RulesDecideAsTheTreeDoesEverywhere) {
  const std::vector<Timings> timings = {timings_of(Collective::kBcast),
                                        timings_of(Collective::kReduce),
                                        timings_of(Collective::kGather)};
  for (const bool group : {false, true}) {
    for (const bool derived : {false, true}) {
      C45Options options{.tree = {.group = group}};
      options.features.power_of_two = options.features.log2_message_size = derived;
      options.features.parity = derived;
      const C45Table table = make_c45_table(timings, options.features);
      const c45::Tree tree = c45::fit_tree(table.schema, table.cases, options.tree).pruned;
      const Model model = fit_c45(timings, options);
      validate(model.rules);
      for (const Instance& instance : testing::telling_instances(model.rules)) {
        ASSERT_EQ(model.decide(instance), table.methods[classify(tree, table, instance)])
            << instance.communicator_size << " " << instance.message_size;
      }
    }
  }
}

TEST(C45Model, ParityIsTestedWhereItIsSwitchedOn) {
  Timings timings = timings_of(Collective::kBcast);
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    timings.instances[i].message_size = 100 + i;
    for (std::size_t m = 0; m < 3; ++m) timings.time_us.set(3 * i + m, m == i % 2 ? 10 : 20);
  }
  C45Options options;
  options.features.parity = true;
  const Model model = fit_c45({timings}, options);
  EXPECT_EQ(model.text,
            "message_size_is_even <= 0 : Linear_0K (52.0/1.4)\n"
            "message_size_is_even > 0 : Binomial_0K (53.0/1.4)\n");
  EXPECT_EQ(model.rules.nodes[0],
            (RuleNode{Attribute::kMessageSizeIsEven, 0, 1, 2, model.rules.nodes[0].method}));
}

// The rule tree compares integers, the fitted tree float32.
TEST(C45Model, IntegerThresholdsAreExact) {
  const float cuts[] = {0.0F,        0.5F,        1.0F,        1023.0F,       16777215.0F,
                        16777216.0F, 16777218.0F, 20000006.0F, 4294967296.0F, 1.0e18F};
  for (const float cut : cuts) {
    const auto test = integer_test(C45Feature::kMessageSize, cut);
    ASSERT_TRUE(test);
    EXPECT_LE(static_cast<float>(test->threshold), cut);
    EXPECT_GT(static_cast<float>(test->threshold + 1), cut);
  }
  EXPECT_FALSE(integer_test(C45Feature::kMessageSize, -1.0F));
  EXPECT_EQ(integer_test(C45Feature::kMessageSize, 3.0e19F)->threshold, UINT64_MAX);
  // log2 of a message: 10 holds up to 1024 and a bit, as float32 rounds.
  const auto logarithm = integer_test(C45Feature::kLog2MessageSize, 10.0F);
  EXPECT_EQ(logarithm->threshold, 1024U);
}

TEST(C45Model, NodesAreAnAttributeOnlyWhereTheyVary) {
  Timings timings = timings_of(Collective::kBcast);
  for (Instance& instance : timings.instances) instance.nodes = 4;
  EXPECT_EQ(make_c45_table({timings}, {}).features.size(), 2U);
  timings.instances[0].nodes = 2;
  EXPECT_EQ(make_c45_table({timings}, {}).features.size(), 3U);
}

}  // namespace
}  // namespace colltree::model
