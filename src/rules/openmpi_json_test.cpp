// SPDX-License-Identifier: BSD-3-Clause
// Rules of Open MPI 6: the same as the text of 5.0 says, and what only they can ask.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "rules/check_rules.h"
#include "rules/test_rules.h"

namespace colltree::rules {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const RuleTarget& text_target() { return find_rule_target("openmpi-5.0.7"); }
const RuleTarget& json_target() { return find_rule_target("openmpi-6"); }

RuleFile file_of(const RuleTarget& target, const model::RuleTree& tree,
                 std::uint64_t ranks_per_node = 0) {
  const Adapted adapted =
      adapt_rules(tree, target, {.allow_unsafe = true, .ranks_per_node = ranks_per_node});
  return check_rules(target, target.write(adapted.keyed, "random"));
}

// Of 6 as well: methods that both can say.
std::vector<Method> methods_of_both(Collective collective) {
  std::vector<Method> methods = testing::expressible(text_target(), collective);
  std::erase_if(methods, [&](const Method& one) {
    const Expressed there = json_target().express(collective, one);
    return !there.method || *there.method != one;
  });
  return methods;
}

// Where thresholds of message size x ranks are promised to be exact, and text can name the sizes.
bool is_asked(const Instance& at) {
  return at.communicator_size >= 1 && at.communicator_size <= 64 &&
         at.message_size <= std::uint64_t{1} << 40;
}

TEST(OpenmpiJson, SaysWhatTheTextSays) {
  testing::Random random(41);
  std::size_t asked = 0;
  for (const CollectiveInfo& info : all_collectives()) {
    if (!text_target().size_key(info.collective)) continue;
    const std::vector<Method> methods = methods_of_both(info.collective);
    for (int round = 0; round < 8; ++round) {
      const model::RuleTree tree =
          testing::random_tree(random, info.collective, methods, round % 4 == 0);
      const RuleFile text = file_of(text_target(), tree);
      const RuleFile json = file_of(json_target(), tree);
      for (const Instance& at : testing::telling_instances(tree)) {
        if (!is_asked(at)) continue;
        ++asked;
        ASSERT_EQ(decide(text_target(), text.rules, at), decide(json_target(), json.rules, at))
            << info.name << ' ' << at.communicator_size << " ranks, " << at.message_size << " B";
      }
    }
  }
  EXPECT_GT(asked, 4000U);
}

// Below a threshold of the attribute as one tree decides, above it as the other.
model::RuleTree either(Attribute attribute, std::uint64_t threshold, const model::RuleTree& low,
                       const model::RuleTree& high) {
  model::RuleTree tree;
  const std::uint32_t test = model::append_test(tree, attribute, threshold);
  const auto take = [&tree](const model::RuleTree& from) {
    const auto nodes = static_cast<std::uint32_t>(tree.nodes.size());
    const auto methods = static_cast<std::uint32_t>(tree.methods.size());
    for (model::RuleNode node : from.nodes) {
      if (node.is_leaf()) {
        node.method = static_cast<std::uint16_t>(node.method + methods);
      } else {
        node.low += nodes;
        node.high += nodes;
      }
      tree.nodes.push_back(node);
    }
    tree.methods.insert(tree.methods.end(), from.methods.begin(), from.methods.end());
    return nodes + from.roots[0].node;
  };
  const std::uint32_t below = take(low);
  const std::uint32_t above = take(high);
  tree.nodes[test].low = below;
  tree.nodes[test].high = above;
  tree.roots = {{low.roots[0].collective, test}};
  model::validate(tree);
  return tree;
}

// One rank on each node, a single node, and four on each of several.
std::vector<Instance> placed(const Instance& at) {
  std::vector<Instance> all;
  const std::uint64_t ranks = at.communicator_size;
  all.push_back({at.collective, ranks, at.message_size, ranks, 1});
  all.push_back({at.collective, ranks, at.message_size, 1, ranks});
  if (ranks > 4 && ranks % 4 == 0)
    all.push_back({at.collective, ranks, at.message_size, ranks / 4, 4});
  return all;
}

TEST(OpenmpiJson, AsksHowRanksAreDistributed) {
  testing::Random random(42);
  std::size_t distributions = 0;
  for (const CollectiveInfo& info : all_collectives()) {
    const auto key = json_target().size_key(info.collective);
    if (!key || key == SizeKey::kNone) continue;
    const std::vector<Method> methods = testing::expressible(json_target(), info.collective);
    for (int round = 0; round < 5; ++round) {
      const model::RuleTree tree =
          either(round % 2 == 0 ? Attribute::kRanksPerNode : Attribute::kNodes,
                 testing::pick(random, 1, 20),
                 testing::random_tree(random, info.collective, methods, false),
                 testing::random_tree(random, info.collective, methods, round % 3 == 0));
      const RuleFile file = file_of(json_target(), tree, 4);
      for (const Defect& defect : file.defects) EXPECT_NE(defect.severity, Severity::kError);
      for (const Rule& rule : file.rules.collectives[0].rules)
        distributions += rule.nodes.most == 1 || rule.ranks_per_node.most == 1;
      for (const Instance& found : testing::telling_instances(tree)) {
        if (!is_asked(found)) continue;
        for (const Instance& at : placed(found)) {
          ASSERT_EQ(decide(json_target(), file.rules, at), model::decide(tree, at))
              << info.name << ' ' << at.communicator_size << " ranks, " << at.message_size << " B, "
              << at.nodes << " nodes, " << at.ranks_per_node << " on each";
        }
      }
    }
  }
  EXPECT_GT(distributions, 50U);
}

TEST(OpenmpiJson, NamesADistributionOnlyWhereItMatters) {
  const model::RuleTree tree = testing::two_leaves(Collective::kBcast, Attribute::kRanksPerNode, 1,
                                                   {"binomial", 0}, {"chain", 0});
  const auto text = [&](const model::RuleTree& of) {
    const Adapted adapted = adapt_rules(of, json_target(), {.allow_unsafe = true});
    return json_target().write(adapted.keyed, "");
  };
  EXPECT_THAT(text(tree), HasSubstr("\"comm_rank_distribution\": \"one-per-node\""));
  const model::RuleTree plain = model::one_leaf(Collective::kBcast, {"binomial", 0});
  EXPECT_THAT(text(plain), Not(HasSubstr("comm_rank_distribution")));
}

}  // namespace
}  // namespace colltree::rules
