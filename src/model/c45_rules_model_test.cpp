// SPDX-License-Identifier: BSD-3-Clause
#include "model/c45_rules_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/json.h"
#include "model/testing.h"

namespace colltree {
namespace {

// Pipeline for wide and long messages, else binomial up to 1 KB and linear above; reduce: always
// pipeline.
Timings timings_of(Collective collective) {
  Timings timings{.system = "toy", .provenance = "simulated", .collective = collective};
  timings.methods = {{"binomial", 0}, {"linear", 0}, {"pipeline", 8192}};
  for (std::uint64_t ranks = 2; ranks <= 32; ++ranks) {
    for (std::uint64_t bytes = 1; bytes <= (1U << 20); bytes *= 2) {
      const bool wide = collective == Collective::kReduce || (ranks > 20 && bytes > 4096);
      const std::size_t best = wide ? 2 : bytes <= 1024 ? 0 : 1;
      timings.instances.push_back({collective, ranks, bytes});
      for (std::size_t m = 0; m < 3; ++m) timings.time_us.push_back(m == best ? 10 : 20);
      timings.default_us.push_back(kNoTime);
    }
  }
  return timings;
}

C45RulesModel fit(const std::vector<Timings>& timings, const C45Options& options = {}) {
  return {origin_of(timings), timings, options};
}

const std::vector<Timings> kBoth = {timings_of(Collective::kBcast),
                                    timings_of(Collective::kReduce)};

TEST(C45RulesModel, TextIsThatOfRelease8) {
  EXPECT_EQ(fit({timings_of(Collective::kBcast)}).text(),
            "Rule 1:\n    \tmessage_size <= 1024\n\t->  class Binomial_0K  [99.6%]\n\n"
            "Rule 2:\n    \tcommunicator_size <= 20\n    \tmessage_size > 1024\n"
            "\t->  class Linear_0K  [99.3%]\n\n"
            "Rule 3:\n    \tmessage_size > 1024\n    \tmessage_size <= 4096\n"
            "\t->  class Linear_0K  [97.8%]\n\n"
            "Rule 4:\n    \tcommunicator_size > 20\n    \tmessage_size > 4096\n"
            "\t->  class Pipeline_8K  [98.6%]\n\nDefault class: Binomial_0K\n");
}

TEST(C45RulesModel, LearnsWhatIsThere) {
  const C45RulesModel model = fit(kBoth);
  for (const Timings& one : kBoth) {
    for (std::size_t i = 0; i < one.instances.size(); ++i) {
      ASSERT_EQ(one.time_of(i, model.decide(one.instances[i])), 10);
    }
  }
  EXPECT_EQ(model.statistics().at("errors"), 0);
  EXPECT_THROW(model.decide({Collective::kScan, 4, 4}), Error);
}

TEST(C45RulesModel, LoweredTreeDecidesTheSameEverywhere) {
  for (const bool derived : {false, true}) {
    C45Options options;
    options.group = derived;
    options.features.power_of_two = options.features.parity = derived;
    options.features.log2_message_size = derived;
    const C45RulesModel model = fit(kBoth, options);
    const RuleTree tree = model.lower();
    validate(tree);
    for (const Instance& at : testing::telling_instances(tree)) {
      ASSERT_EQ(model.decide(at), decide(tree, at)) << at.communicator_size << at.message_size;
    }
  }
}

TEST(C45RulesModel, JsonAndBackIsTheSame) {
  for (const bool group : {false, true}) {
    C45Options options;
    options.group = group;
    const C45RulesModel model = fit(kBoth, options);
    const auto loaded = model_from_json(to_json(model));
    EXPECT_EQ(to_json(*loaded), to_json(model));
    EXPECT_EQ(loaded->lower(), model.lower());
  }
}

std::string refusal(const Json& stored) {
  try {
    model_from_json(stored);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(C45RulesModel, BrokenBodiesAreRefused) {
  const Json good = to_json(fit({timings_of(Collective::kBcast)}));
  const auto with = [&](const char* place, const Json& value) {
    Json stored = good;
    testing::json_place(stored, place) = value;
    return refusal(stored);
  };
  EXPECT_EQ(with("/body/default", 1), "");
  EXPECT_THAT(with("/body/default", 3), ::testing::HasSubstr("'default': method 3 of 3"));
  EXPECT_THAT(with("/body/rules/0/method", 9), ::testing::HasSubstr("rule 0: method 9 of 3"));
  EXPECT_THAT(with("/body/rules/0/conditions/0/attribute", 2),
              ::testing::HasSubstr("rule 0: attribute 2 of 2"));
  EXPECT_THAT(with("/body/rules/0/conditions/0", {{"attribute", 0}, {"values", {1}}}),
              ::testing::HasSubstr("rule 0: the condition does not fit the attribute"));
  EXPECT_THAT(with("/body/rules/0/conditions/0", {{"attribute", 0}}),
              ::testing::HasSubstr("'at_most'"));
}

}  // namespace
}  // namespace colltree
