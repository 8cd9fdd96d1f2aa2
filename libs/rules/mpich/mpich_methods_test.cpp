// SPDX-License-Identifier: BSD-3-Clause
#include "rules/mpich/mpich_methods.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "base/input.h"
#include "coll/catalogue.h"
#include "rules/check_rules.h"
#include "rules/test_rules.h"

namespace colltree::rules {
namespace {

using testing::kMpichTargets;
using testing::mpich_own_choice;

// Calls at and beside every bound of the stock rows: ordinary ones, and such of which one of the
// facts that they ask for does not hold.
template <typename Visit>
void for_each_call(Collective collective, Visit visit) {
  constexpr std::uint32_t kFacts[] = {0,
                                      kCommutative | kBuiltInOperation,
                                      kBuiltInOperation,
                                      kRegularBlocks,
                                      kCommutative | kBuiltInOperation | kRegularBlocks,
                                      kConsecutiveNodes,
                                      kHierarchy};
  constexpr std::uint32_t kAll =
      kCommutative | kBuiltInOperation | kRegularBlocks | kConsecutiveNodes | kHierarchy;
  for (const std::uint64_t ranks : {1, 2, 3, 7, 8, 9, 16, 31, 48}) {
    for (const std::uint64_t bound : {0, 7, 255, 2047, 12287, 32767, 81919, 524287, 70000000}) {
      for (const std::uint64_t bytes : {bound + 1, bound + 2, bound / ranks + 1}) {
        const std::uint32_t sizes = kNotInPlace | size_facts(ranks, bytes / 8);
        for (const std::uint32_t missing : kFacts)
          visit(Instance{collective, ranks, bytes}, sizes | (kAll & ~missing));
      }
    }
  }
}

Method of_file(const RuleTarget& target, const RuleFile& file, const Instance& at,
               std::uint32_t facts) {
  RuleQuery query = query_of(target, at);
  query.facts = facts;
  return decide(*file.rules.find(at.collective), query);
}

void expect_own_choices(const RuleTarget& target, const RuleFile& file, const std::string& what) {
  for (const CollectiveInfo& info : all_collectives()) {
    if (!target.size_key(info.collective)) continue;
    for_each_call(info.collective, [&](const Instance& at, std::uint32_t facts) {
      ASSERT_EQ(of_file(target, file, at, facts).name(), mpich_own_choice(target, at, facts).name())
          << what << ": " << info.name << ' ' << at.communicator_size << " ranks "
          << at.message_size << " bytes, facts " << facts;
    });
  }
}

// The selections that a library was built with lie in it as text. "": there is no such library.
std::string built_in_selection(std::string_view begin_of_it) {
  const std::filesystem::path library = "/usr/lib/x86_64-linux-gnu/libmpich.so.12";
  if (!exists(library)) return "";
  const std::string bytes = read_file(library);
  const std::size_t begin = bytes.find(begin_of_it);
  return begin == std::string::npos ? "none" : std::string(bytes.c_str() + begin);
}

TEST(MpichStock, IsWhatTheInstalledLibraryWasBuiltWith) {
  const std::string text =
      built_in_selection(R"({"collective=bcast":{"comm_type=intra":{"comm_size<8")");
  if (text.empty()) GTEST_SKIP() << "needs MPICH";
  const bool old = text.find("MPIR_Barrier_intra_dissemination") != std::string::npos;
  const RuleTarget& target = find_rule_target(old ? "mpich-4.0" : "mpich-4.2");
  const RuleFile file = target.read(text);
  for (const Defect& defect : file.defects)
    EXPECT_EQ(defect.severity, Severity::kWarning) << defect.line << ": " << defect.text;
  expect_own_choices(target, file, "built in");
  const std::string shared =
      built_in_selection(R"({"collective=bcast":{"comm_type=intra":{"is_multi_threaded=no")");
  EXPECT_THAT(target.read(shared).defects.at(0).text,
              ::testing::HasSubstr("MPIR_CVAR_CH4_POSIX_COLL_SELECTION_TUNING_JSON_FILE"));
}

// A communicator that ranks of one node share, or of several.
Instance on_nodes(Instance at, std::uint32_t facts) {
  at.nodes = (facts & kHierarchy) != 0 ? 2 : 1;
  return at;
}

TEST(MpichStock, ComposesAsTheInstalledLibraryWasBuiltTo) {
  const std::string text =
      built_in_selection(R"({"collective=bcast":{"comm_type=intra":{"comm_hierarchy=parent")");
  if (text.empty()) GTEST_SKIP() << "needs MPICH";
  const Json file = Json::parse(text);
  for (const CollectiveInfo& info : all_collectives()) {
    if (mpich_handed_down(info.collective).is_null()) continue;
    const Json& node = file["collective=" + std::string(info.name)];
    for_each_call(info.collective, [&](const Instance& at, std::uint32_t facts) {
      const Instance placed = on_nodes(at, facts);
      ASSERT_EQ(testing::mpich_leaf_at(node, placed, facts),
                testing::mpich_own_leaf(MpichLayer::kDevice, placed, facts))
          << info.name << ' ' << at.communicator_size << " ranks " << at.message_size
          << " bytes, facts " << facts;
    });
  }
}

TEST(MpichStock, AFileWithoutRulesIsMpichsOwnChoice) {
  for (const char* const name_of_target : kMpichTargets) {
    const RuleTarget& target = find_rule_target(name_of_target);
    const RuleFile file = check_rules(target, target.write({}, ""));
    EXPECT_TRUE(file.defects.empty()) << file.defects[0].text;
    expect_own_choices(target, file, name_of_target);
  }
}

// What is settled outside is not asked again, and what stands inside is right for it.
TEST(MpichStock, AtAPlaceItIsTheSame) {
  const RuleTarget& target = find_rule_target("mpich-4.0");
  const Rule at{.communicator_size = {8, 16}, .message = {4096, 16384}, .required = kPowerOfTwo};
  EXPECT_EQ(mpich_stock_at(target, Collective::kBcast, at).dump(),
            "{\"avg_msg_size<=12288\":{\"algorithm=MPIR_Bcast_intra_binomial\":{}},"
            "\"avg_msg_size=any\":{\"algorithm=MPIR_Bcast_intra_scatter_recursive_doubling_"
            "allgather\":{}}}");
  const Rule small{.communicator_size = {0, 7}, .message = {4096, 16384}};
  EXPECT_EQ(mpich_stock_at(target, Collective::kBcast, small).dump(),
            "{\"algorithm=MPIR_Bcast_intra_binomial\":{}}");
  const Rule ordered{.message = {9, 100}, .excluded = kCommutative};
  EXPECT_EQ(mpich_stock_at(target, Collective::kReduceScatterBlock, ordered).dump(),
            "{\"comm_size=any\":{\"algorithm=MPIR_Reduce_scatter_block_intra_recursive_doubling\":"
            "{}},\"comm_size=pow2\":{\"algorithm=MPIR_Reduce_scatter_block_intra_noncommutative\":"
            "{}}}");
}

// A method where the model has one, MPICH's own choice where it has none or a guard keeps it off.
TEST(MpichStock, StandsWhereverTheRulesLeaveACallToMpich) {
  testing::Random random(42);
  for (const char* const name_of_target : kMpichTargets) {
    const RuleTarget& target = find_rule_target(name_of_target);
    for (const CollectiveInfo& info : all_collectives()) {
      if (!target.size_key(info.collective)) continue;
      std::vector<Method> methods = testing::expressible(target, info.collective);
      methods.resize(2 * methods.size(), library_default());
      const model::RuleTree tree = testing::random_tree(random, info.collective, methods, false);
      const Adapted adapted = adapt_rules(tree, target, {.allow_unsafe = true});
      const RuleFile file = check_rules(target, target.write(adapted.keyed, ""));
      const CollectiveRules& rules = adapted.keyed.collectives[0];
      for_each_call(info.collective, [&](const Instance& at, std::uint32_t facts) {
        RuleQuery query = query_of(target, at);
        query.facts = facts;
        Method expected = decide(rules, query);
        const LibraryAlgorithm* algorithm =
            find_algorithm(Library::kMpich, info.collective, expected.algorithm);
        if (algorithm == nullptr || (algorithm->needs & ~facts) != 0)
          expected = mpich_own_choice(target, at, facts);
        ASSERT_EQ(of_file(target, file, at, facts).name(), expected.name())
            << target.name << ' ' << info.name << ' ' << at.communicator_size << " ranks "
            << at.message_size << " bytes, facts " << facts << '\n'
            << target.write(adapted.keyed, "");
      });
    }
  }
}

// The device's file hands down what rules choose for, and nothing else.
TEST(MpichStock, TheDeviceComposesWhateverTheRulesLeaveToMpich) {
  testing::Random random(43);
  const RuleTarget& target = find_rule_target("mpich-4.0");
  std::size_t handed = 0;
  for (const CollectiveInfo& info : all_collectives()) {
    const Json down = mpich_handed_down(info.collective);
    if (down.is_null()) continue;
    std::vector<Method> methods = testing::expressible(target, info.collective);
    methods.resize(2 * methods.size(), library_default());
    for (int round = 0; round < 4; ++round) {
      const model::RuleTree tree = testing::random_tree(random, info.collective, methods, false);
      const Adapted adapted = adapt_rules(tree, target, {.allow_unsafe = true});
      const CollectiveRules& rules = adapted.keyed.collectives[0];
      const std::string text = target.companion(adapted.keyed);
      EXPECT_EQ(text.empty(), leaves_all(rules));
      if (text.empty()) continue;
      const Json file = Json::parse(text);
      const Json& node = file["collective=" + std::string(info.name)];
      for_each_call(info.collective, [&](const Instance& at, std::uint32_t facts) {
        const Instance placed = on_nodes(at, facts);
        RuleQuery query = query_of(target, at);
        query.facts = facts;
        const Method method = decide(rules, query);
        const LibraryAlgorithm* algorithm =
            find_algorithm(Library::kMpich, info.collective, method.algorithm);
        const bool chosen = algorithm != nullptr && (algorithm->needs & ~facts) == 0;
        ASSERT_EQ(testing::mpich_leaf_at(node, placed, facts),
                  chosen ? down.items()[0].key
                         : testing::mpich_own_leaf(MpichLayer::kDevice, placed, facts))
            << info.name << ' ' << at.communicator_size << " ranks " << at.message_size
            << " bytes, facts " << facts << '\n'
            << text;
        handed += chosen ? 1 : 0;
      });
    }
  }
  EXPECT_GT(handed, 100U);
}

// A campaign of few ranks says nothing of many: there MPICH decides.
TEST(MpichStock, BeyondWhatWasMeasuredMpichDecides) {
  const RuleTarget& target = find_rule_target("mpich-4.0");
  const auto at_48 = [&](Collective collective, const char* method, std::uint64_t bytes) {
    const model::RuleTree tree = testing::two_leaves(collective, Attribute::kCommunicatorSize, 4,
                                                     {method, 0}, library_default());
    const RuleSet rules = adapt_rules(tree, target, {}).keyed;
    const RuleFile file = check_rules(target, target.write(rules, ""));
    EXPECT_EQ(decide(target, file.rules, {collective, 4, bytes}).algorithm, method);
    return decide(target, file.rules, {collective, 48, bytes}).algorithm;
  };
  EXPECT_EQ(at_48(Collective::kBcast, "binomial", 1 << 20), "scatter_ring_allgather");
  EXPECT_EQ(at_48(Collective::kAllreduce, "recursive_doubling", 1 << 16),
            "reduce_scatter_allgather");
}

}  // namespace
}  // namespace colltree::rules
