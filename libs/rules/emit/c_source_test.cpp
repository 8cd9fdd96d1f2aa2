// SPDX-License-Identifier: BSD-3-Clause
// Emitted C against the model: compiled by the system's compiler, loaded, asked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "emit/emitter.h"
#include "emit/test_decisions.h"
#include "model/model.h"
#include "model/test_models.h"

namespace colltree::emit {
namespace {

using testing::CMethod;
using testing::Compiled;

model::Model rules(model::RuleTree tree) {
  std::vector<Collective> collectives;
  for (const model::RuleTree::Root& root : tree.roots) collectives.push_back(root.collective);
  return model::rules_model({"by \"hand\" */", "imported", collectives, 0}, std::move(tree));
}

TEST(EmitC, PlacementAndPowersOfTwoAreParameters) {
  model::RuleTree tree{.methods = {{"a\"*/?"
                                    "?/",
                                    std::nullopt},
                                   {"b", 7},
                                   {"c", 0}},
                       .roots = {{Collective::kBcast, 0}, {Collective::kReduce, 3}},
                       .nodes = {}};
  model::append_test(tree, Attribute::kCommunicatorSizeIsPowerOfTwo, 0);
  model::append_test(tree, Attribute::kRanksPerNode, 3);
  model::append_leaf(tree, 0);
  model::append_leaf(tree, 1);
  model::append_leaf(tree, 2);
  tree.nodes[0].low = 1;
  tree.nodes[0].high = 4;
  tree.nodes[1].low = 2;
  tree.nodes[1].high = 3;
  const model::Model model = rules(tree);
  for (const char* target : {"c", "c-nested", "c-table"}) {
    const Compiled compiled(find_emitter(target).emit(model, {}));
    const auto* methods = compiled.get<const CMethod>("colltree_methods");
    auto* const bcast =
        compiled.get<int(std::uint64_t, std::uint64_t, std::uint64_t)>("colltree_decide_bcast");
    for (const Instance& instance : testing::telling_instances(model.rules)) {
      if (instance.collective != Collective::kBcast) continue;
      const int got =
          bcast(instance.communicator_size, instance.message_size, instance.ranks_per_node);
      ASSERT_EQ(methods[got].algorithm, model.decide(instance).algorithm);
    }
    EXPECT_EQ(methods[0].segment_size, -1);
    auto* const reduce =
        compiled.get<int(std::uint64_t, std::uint64_t, std::uint64_t)>("colltree_decide_reduce");
    EXPECT_EQ(reduce(0, UINT64_MAX, 9), 1);
  }
}

TEST(EmitC, ParityIsComputedFromTheMessageSize) {
  model::RuleTree tree{
      .methods = {{"a", 0}, {"b", 0}}, .roots = {{Collective::kBcast, 0}}, .nodes = {}};
  model::append_test(tree, Attribute::kMessageSizeIsEven, 0);
  model::append_leaf(tree, 0);
  model::append_leaf(tree, 1);
  tree.nodes[0].low = 1;
  tree.nodes[0].high = 2;
  for (const char* target : {"c", "c-nested", "c-table"}) {
    const Compiled compiled(find_emitter(target).emit(rules(tree), {}));
    auto* const decide = compiled.get<int(std::uint64_t, std::uint64_t)>("colltree_decide_bcast");
    EXPECT_EQ(decide(8, 0), 1) << target;
    EXPECT_EQ(decide(8, 1023), 0) << target;
    EXPECT_EQ(decide(8, UINT64_MAX - 1), 1) << target;
  }
}

TEST(EmitC, OutputIsPinned) {
  model::RuleTree tree{.methods = {{"linear", 0}, {"binomial", 1024}},
                       .roots = {{Collective::kBcast, 0}},
                       .nodes = {}};
  model::append_test(tree, Attribute::kMessageSize, 2048);
  model::append_leaf(tree, 1);
  model::append_leaf(tree, 0);
  tree.nodes[0].low = 1;
  tree.nodes[0].high = 2;
  EXPECT_THAT(find_emitter("c").emit(rules(tree), {}),
              ::testing::EndsWith("\nconst colltree_method colltree_methods[2] = {\n"
                                  "  {\"linear\", INT64_C(0)}, /* 0 */\n"
                                  "  {\"binomial\", INT64_C(1024)}, /* 1 */\n"
                                  "};\n"
                                  "\nint colltree_decide_bcast(uint64_t communicator_size, "
                                  "uint64_t message_size) {\n"
                                  "  (void)communicator_size;\n"
                                  "  if (message_size <= UINT64_C(2048)) {\n"
                                  "    return 1; /* Binomial_1K */\n"
                                  "  } else {\n"
                                  "    return 0; /* Linear_0K */\n"
                                  "  }\n"
                                  "}\n"));
}

// One method for each of the given message sizes and all below it.
model::Model staircase(std::uint64_t steps) {
  model::RuleTree tree{
      .methods = {{"a", 0}, {"b", 0}}, .roots = {{Collective::kBcast, 0}}, .nodes = {}};
  for (std::uint64_t step = 0; step < steps; ++step) {
    const std::uint32_t test = model::append_test(tree, Attribute::kMessageSize, 10 * step + 9);
    tree.nodes[test].low = model::append_leaf(tree, static_cast<std::uint16_t>(step % 2));
    tree.nodes[test].high = test + 2;
  }
  model::append_leaf(tree, static_cast<std::uint16_t>(steps % 2));
  return rules(std::move(tree));
}

TEST(EmitC, TakesTheFasterForm) {
  const auto has_cells = [](const std::string& source) {
    return source.find("_cells[") != std::string::npos;
  };
  const model::Model few = staircase(1);
  const model::Model many = staircase(20);
  EXPECT_FALSE(has_cells(find_emitter("c").emit(few, {})));
  EXPECT_TRUE(has_cells(find_emitter("c").emit(many, {})));
  EXPECT_FALSE(has_cells(find_emitter("c-nested").emit(many, {})));
  EXPECT_TRUE(has_cells(find_emitter("c-table").emit(few, {})));
}

TEST(EmitC, AHugeTableBecomesNestedIfs) {
  model::RuleTree tree{
      .methods = {{"a", 0}, {"b", 0}}, .roots = {{Collective::kBcast, 0}}, .nodes = {}};
  for (std::uint64_t step = 0; step < 800; ++step) {  // 401 x 401 cells
    const auto attribute = step % 2 == 0 ? Attribute::kCommunicatorSize : Attribute::kMessageSize;
    const std::uint32_t test = model::append_test(tree, attribute, step + 1);
    tree.nodes[test].low = model::append_leaf(tree, static_cast<std::uint16_t>(step / 2 % 2));
    tree.nodes[test].high = test + 2;
  }
  model::append_leaf(tree, 0);
  const std::string source = find_emitter("c").emit(rules(std::move(tree)), {});
  EXPECT_EQ(source.find("_cells["), std::string::npos);
}

TEST(EmitC, APrefixMustBeAnIdentifier) {
  model::RuleTree tree{.methods = {{"a", 0}}, .roots = {{Collective::kBcast, 0}}, .nodes = {}};
  model::append_leaf(tree, 0);
  EXPECT_THROW(find_emitter("c").emit(rules(tree), {.prefix = "1x"}), UsageError);
  EXPECT_THROW(find_emitter("c").emit(rules(tree), {.prefix = "a b"}), UsageError);
  EXPECT_THROW(find_emitter("cc"), UsageError);
}

TEST(EmitC, ParametersAreReadable) {
  model::RuleTree tree{
      .methods = {{"chain", 1024, {.fanout = 4}}}, .roots = {{Collective::kBcast, 0}}, .nodes = {}};
  model::append_leaf(tree, 0);
  EXPECT_THAT(find_emitter("c").emit(rules(tree), {}),
              ::testing::HasSubstr("{\"chain@fanout=4\", INT64_C(1024)}"));
}

TEST(EmitDot, NamesTestsAndMethods) {
  model::RuleTree tree{
      .methods = {{"a", 0}, {"b", 0}}, .roots = {{Collective::kBcast, 0}}, .nodes = {}};
  model::append_test(tree, Attribute::kMessageSize, 2048);
  model::append_leaf(tree, 1);
  model::append_leaf(tree, 0);
  tree.nodes[0].low = 1;
  tree.nodes[0].high = 2;
  const std::string dot = find_emitter("dot").emit(rules(tree), {});
  EXPECT_THAT(dot, ::testing::HasSubstr("n0 [label=\"message_size <= 2048\"];"));
  EXPECT_THAT(dot, ::testing::HasSubstr("n0 -> n1 [label=\"yes\"];"));
  EXPECT_THAT(dot, ::testing::HasSubstr("n1 [shape=box, label=\"b\"];"));
}

}  // namespace
}  // namespace colltree::emit
