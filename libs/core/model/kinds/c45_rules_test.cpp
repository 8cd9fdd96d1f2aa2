// SPDX-License-Identifier: BSD-3-Clause
#include "model/kinds/c45_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "colltree/c45.hpp"
#include "model/test_models.h"

namespace colltree::model {
namespace {

// Pipeline for wide and long messages, else binomial up to 1 KB and linear above; reduce: always
// pipeline.
Timings wide_and_long_timings(Collective collective) {
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

Model fit_rules(const std::vector<Timings>& timings, const C45Options& options = {}) {
  return fit_c45_rules(timings, options);
}

const std::vector<Timings> kBoth = {wide_and_long_timings(Collective::kBcast),
                                    wide_and_long_timings(Collective::kReduce)};

TEST(C45RulesModel, TextIsThatOfRelease8) {
  EXPECT_EQ(fit_rules({wide_and_long_timings(Collective::kBcast)}).text,
            "Rule 1:\n    \tmessage_size <= 1024\n\t->  class Binomial_0K  [99.6%]\n\n"
            "Rule 2:\n    \tcommunicator_size <= 20\n    \tmessage_size > 1024\n"
            "\t->  class Linear_0K  [99.3%]\n\n"
            "Rule 3:\n    \tmessage_size > 1024\n    \tmessage_size <= 4096\n"
            "\t->  class Linear_0K  [97.8%]\n\n"
            "Rule 4:\n    \tcommunicator_size > 20\n    \tmessage_size > 4096\n"
            "\t->  class Pipeline_8K  [98.6%]\n\nDefault class: Binomial_0K\n");
}

TEST(C45RulesModel, LearnsWhatIsThere) {
  const Model model = fit_rules(kBoth);
  for (const Timings& one : kBoth) {
    for (std::size_t i = 0; i < one.instances.size(); ++i) {
      ASSERT_EQ(one.time_of(i, model.decide(one.instances[i])).known_us(), 10);
    }
  }
  EXPECT_EQ(model.statistics.rules->errors, 0U);
  EXPECT_THROW(model.decide({Collective::kScan, 4, 4}), Error);
}

// The rule that fires first, in float32 as C4.5 compares.
const Method& first_rule(const c45::RuleSet& rules, const C45Table& table, const Instance& at) {
  const auto value = std::ranges::find(table.collectives, at.collective);
  const auto collective = static_cast<std::uint32_t>(value - table.collectives.begin()) + 1;
  const auto holds = [&](const c45::Condition& condition) {
    const C45Feature feature = table.features[condition.attribute];
    if (condition.kind == c45::ConditionKind::kThreshold)
      return (feature_value(feature, at) > condition.cut) == condition.above;
    return condition.kind == c45::ConditionKind::kValue
               ? condition.value == collective
               : std::ranges::binary_search(condition.values, collective);
  };
  for (const c45::Rule& rule : rules.rules) {
    if (std::ranges::all_of(rule.conditions, holds)) return table.methods[rule.label];
  }
  return table.methods[rules.default_label];
}

TEST(C45RulesModel, TheTreeDecidesAsTheRulesDoEverywhere) {
  for (const bool derived : {false, true}) {
    C45Options options;
    options.tree.group = derived;
    options.features.power_of_two = options.features.parity = derived;
    options.features.log2_message_size = derived;
    const C45Table table = make_c45_table(kBoth, options.features);
    const c45::Trial trial = c45::fit_tree(table.schema, table.cases, options.tree);
    c45::RuleSet rules = c45::make_rules({&trial.grown}, table.schema, table.cases, {}).final_set;
    c45::drop_harmful_rules(rules, table.cases);
    const RuleTree tree = lower(rules, table);
    validate(tree);
    EXPECT_EQ(tree, fit_rules(kBoth, options).rules);
    for (const Instance& at : testing::telling_instances(tree)) {
      ASSERT_EQ(decide(tree, at), first_rule(rules, table, at))
          << at.communicator_size << " " << at.message_size;
    }
  }
}

}  // namespace
}  // namespace colltree::model
