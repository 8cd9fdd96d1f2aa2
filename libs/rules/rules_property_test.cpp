// SPDX-License-Identifier: BSD-3-Clause
// Random rule sets: what is written and read again answers as the tree it came from, at every
// threshold, beside it, and beyond both ends.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/test_sample.h"
#include "base/test_scratch.h"
#include "base/text.h"
#include "rules/adapt.h"
#include "rules/check_rules.h"
#include "rules/test_rules.h"

namespace colltree::rules {
namespace {

using testing::expressible;
using testing::random_tree;

// Communicator sizes a file can name, sizes whose keys do not overflow, and, where sizes are scaled
// by the communicator size, only where thresholds are promised to be exact.
bool is_promised(const RuleTarget& target, const Instance& at) {
  if (at.communicator_size == 0 || at.communicator_size > INT32_MAX) return false;
  if (target.size_key(at.collective) != SizeKey::kTimesRanks) {
    return at.message_size <= target.most_message;
  }
  return at.communicator_size <= 64 && message_key(SizeKey::kTimesRanks, at) <= target.most_message;
}

// NCCL's lines are for one communicator size each, up to here; of one rank there is nothing to say.
bool has_line(const RuleTarget& target, const Instance& at) {
  return std::string_view(target.name) != "nccl" ||
         (at.communicator_size >= 2 && at.communicator_size <= 1024);
}

// What the file makes the library do where the model says `method`: MPICH's guards keep an
// algorithm from where it cannot run.
Method done(const RuleTarget& target, const Method& method, const Instance& at) {
  if (target.library != Library::kMpich) return method;
  const LibraryAlgorithm* algorithm =
      find_algorithm(Library::kMpich, at.collective, method.algorithm);
  if (algorithm != nullptr && (algorithm->needs & ~usual_facts(at)) == 0) return method;
  return testing::mpich_own_choice(target, at, usual_facts(at));
}

// A model that chooses the library's own everywhere can leave nothing to write but the comment;
// check says that the file changes nothing.
bool says_nothing(const std::string& text) {
  return std::ranges::all_of(split(text, '\n'), [](std::string_view line) {
    return line.empty() || line.starts_with('#');
  });
}

void expect_same_answers(const RuleTarget& target, const model::RuleTree& tree) {
  const Adapted adapted = adapt_rules(tree, target, {.allow_unsafe = true});
  const std::string text = target.write(adapted.keyed, "random");
  const RuleFile file = check_rules(target, text);
  if (!says_nothing(text)) {
    for (const Defect& defect : file.defects) {
      ASSERT_NE(defect.severity, Severity::kError) << defect.line << ": " << defect.text << text;
    }
  }
  const SizeKey key = *target.size_key(tree.roots[0].collective);
  for (const Instance& at : testing::telling_instances(tree)) {
    if (!is_promised(target, at) || !has_line(target, at)) continue;
    const Method got = decide(target, file.rules, at);
    const Method expected =
        key == SizeKey::kNone || !target.has_communicator_size
            ? decide(adapted.rules.collectives[0], query_of(at))  // an axis is lost
            : model::decide(tree, at);
    ASSERT_EQ(got, done(target, expected, at))
        << target.name << ' ' << name(at.collective) << ' ' << at.communicator_size << " ranks "
        << at.message_size << " bytes\n"
        << text;
  }
}

TEST(RulesProperty, FilesAnswerAsTheModel) {
  const std::vector<std::size_t> rounds = testing::sampled(6);
  std::size_t tried = 0;
  for (const RuleTarget* format : testing::formats()) {
    const RuleTarget& target = *format;
    for (const CollectiveInfo& info : all_collectives()) {
      if (!target.size_key(info.collective)) continue;
      const std::vector<Method> methods = expressible(target, info.collective);
      if (methods.empty()) continue;
      for (const std::size_t round : rounds) {
        testing::Random random(100 * tried + round);
        const model::RuleTree tree = random_tree(random, info.collective, methods, round % 3 == 0);
        ASSERT_NO_FATAL_FAILURE(expect_same_answers(target, tree));
        ++tried;
      }
    }
  }
  EXPECT_GE(tried, 5U * 14 * rounds.size());
}

// Sizes that a file can only name within 6 %, and none.
bool is_exact(const RuleTarget& target, const Instance& at) {
  if (at.communicator_size == 0 || at.communicator_size > INT32_MAX) return false;
  return target.size_key(at.collective) != SizeKey::kTimesRanks ||
         (at.communicator_size <= 64 &&
          message_key(SizeKey::kTimesRanks, at) <= target.most_message);
}

// Where the model leaves a call to the library, the library does what it does without a file.
void expect_left_alone(const RuleTarget& target, const model::RuleTree& tree, bool allow_unsafe,
                       std::size_t& left) {
  const Adapted adapted = adapt_rules(tree, target, {.allow_unsafe = allow_unsafe});
  const std::string text = target.write(adapted.keyed, "random");
  const RuleFile file = check_rules(target, text);
  for (const Instance& at : testing::telling_instances(tree)) {
    if (!is_exact(target, at) || !is_library_default(model::decide(tree, at))) continue;
    ASSERT_EQ(decide(target, file.rules, at), done(target, library_default(), at))
        << target.name << ' ' << name(at.collective) << ' ' << at.communicator_size << " ranks "
        << at.message_size << " bytes\n"
        << text;
    ++left;
  }
}

TEST(RulesProperty, WhatIsLeftToTheLibraryIsAsWithoutAFile) {
  testing::Random random(8);
  for (const RuleTarget& target : rule_targets()) {
    std::size_t left = 0;
    for (const CollectiveInfo& info : all_collectives()) {
      if (!target.size_key(info.collective)) continue;
      ASSERT_NO_FATAL_FAILURE(expect_left_alone(
          target, model::one_leaf(info.collective, library_default()), false, left));
      std::vector<Method> methods = expressible(target, info.collective);
      methods.resize(2 * methods.size(), library_default());
      for (int round = 0; round < 2 && !methods.empty(); ++round) {
        const model::RuleTree tree = random_tree(random, info.collective, methods, round % 3 == 0);
        ASSERT_NO_FATAL_FAILURE(expect_left_alone(target, tree, round % 2 == 0, left));
      }
    }
    EXPECT_GE(left, 100U) << target.name;
  }
}

// Beyond the largest number that a file can hold, too.
TEST(RulesProperty, WhatIsLeftBeyondTheLargestNumberIsAsWithoutAFile) {
  for (const RuleTarget& target : rule_targets()) {
    if (!target.size_key(Collective::kBcast) || expressible(target, Collective::kBcast).empty())
      continue;
    const model::RuleTree tree =
        testing::two_leaves(Collective::kBcast, Attribute::kMessageSize, std::uint64_t{1} << 33,
                            expressible(target, Collective::kBcast)[0], library_default());
    std::size_t left = 0;
    ASSERT_NO_FATAL_FAILURE(expect_left_alone(target, tree, true, left));
    EXPECT_GE(left, 1U);
  }
}

TEST(RulesProperty, SafeFilesHaveNoUnsafeRule) {
  const std::vector<std::size_t> rounds = testing::sampled(4);
  for (const RuleTarget* format : testing::formats()) {
    const RuleTarget& target = *format;
    for (const CollectiveInfo& info : all_collectives()) {
      if (!target.size_key(info.collective)) continue;
      const std::vector<Method> methods = expressible(target, info.collective);
      for (const std::size_t round : rounds) {
        if (methods.empty()) continue;
        testing::Random random(round);
        const model::RuleTree tree = random_tree(random, info.collective, methods, false);
        const Adapted adapted = adapt_rules(tree, target, {});
        const std::string text = target.write(adapted.keyed, "random");
        if (says_nothing(text)) continue;
        for (const Defect& defect : check_rules(target, text).defects) {
          EXPECT_EQ(defect.severity, Severity::kWarning) << defect.text << '\n' << text;
        }
      }
    }
  }
}

// Ranks that do not fill the last node need it nevertheless.
TEST(RulesOfTree, NodesAreAsManyAsTheRanksNeed) {
  const Method on_one{"linear", 0};
  const Method on_more{"binomial", 0};
  const Method on_many{"chain", 0};
  model::RuleTree tree =
      testing::two_leaves(Collective::kBcast, Attribute::kNodes, 1, on_one, on_more);
  tree.methods.push_back(on_many);
  const auto more = tree.nodes[0].high;
  tree.nodes[0].high = model::append_test(tree, Attribute::kCommunicatorSize, 5);
  tree.nodes[tree.nodes[0].high].low = more;
  tree.nodes[tree.nodes[0].high].high = model::append_leaf(tree, 2);
  const CollectiveRules rules = rules_of(tree, tree.roots[0], 4);
  for (std::uint64_t ranks = 1; ranks <= 9; ++ranks) {
    EXPECT_EQ(decide(rules, query_of({Collective::kBcast, ranks, 8})), ranks <= 4   ? on_one
                                                                       : ranks == 5 ? on_more
                                                                                    : on_many)
        << ranks;
  }
}

TEST(RulesOfTree, ATestThatNoFileCanAskIsRefused) {
  const model::RuleTree tree = testing::two_leaves(
      Collective::kBcast, Attribute::kMessageSizeIsEven, 0, {"linear", 0}, {"binomial", 0});
  for (const RuleTarget& target : rule_targets()) {
    EXPECT_EQ(
        error_of([&] { adapt_rules(tree, target, {.allow_unsafe = true}); }),
        "the decision of bcast asks whether the message size is even, which no rules file can "
        "ask: fit the model without parity=true");
  }
}

}  // namespace
}  // namespace colltree::rules
