// SPDX-License-Identifier: BSD-3-Clause
// Emitted C against the model: compiled by the system's compiler, loaded, asked.
#include <dlfcn.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "base/error.h"
#include "base/file.h"
#include "emit/emitter.h"
#include "model/quadtree/grid_tree_model.h"
#include "model/rule_model.h"
#include "model/testing.h"

namespace colltree {
namespace {

struct CMethod {
  const char* algorithm;
  std::int64_t segment_size;
};

// A shared object made of one C file with the flags that the project promises to pass.
class Compiled {
 public:
  explicit Compiled(const std::string& source) {
    static int serial = 0;
    const auto stem = std::filesystem::path(::testing::TempDir()) /
                      fmt::format("emitted_{}_{}", ::getpid(), serial++);
    const std::string c = stem.string() + ".c";
    const std::string so = stem.string() + ".so";
    write_file(c, source);
    const std::string command = fmt::format(
        "cc -std=c99 -Wall -Wextra -pedantic -Werror -O0 -shared -fPIC -o {} {}", so, c);
    if (std::system(command.c_str()) != 0) throw Error("does not compile: " + c);
    handle_.reset(::dlopen(so.c_str(), RTLD_NOW | RTLD_LOCAL));
    if (!handle_) throw Error(::dlerror());
    std::filesystem::remove(c);
    std::filesystem::remove(so);
  }

  template <typename Function>
  Function* get(const std::string& symbol) const {
    void* const found = ::dlsym(handle_.get(), symbol.c_str());
    if (found == nullptr) throw Error("no symbol " + symbol);
    return reinterpret_cast<Function*>(found);
  }

 private:
  struct Close {
    void operator()(void* handle) const { ::dlclose(handle); }
  };
  std::unique_ptr<void, Close> handle_;
};

void expect_same(const DecisionFunction& model, const Compiled& compiled, const std::string& prefix,
                 const std::vector<Instance>& further) {
  const auto* methods = compiled.get<const CMethod>(prefix + "_methods");
  for (const Instance& instance : testing::telling_instances(model.lower(), further)) {
    auto* const decide = compiled.get<int(std::uint64_t, std::uint64_t)>(
        fmt::format("{}_decide_{}", prefix, name(instance.collective)));
    const Method expected = model.decide(instance);
    const CMethod& got = methods[decide(instance.communicator_size, instance.message_size)];
    ASSERT_EQ(got.algorithm, expected.algorithm)
        << instance.communicator_size << " " << instance.message_size;
    ASSERT_EQ(got.segment_size,
              expected.segment_size ? static_cast<std::int64_t>(*expected.segment_size) : -1);
  }
}

TEST(EmitC, AThousandRandomMapsDecideAsTheirModels) {
  testing::Random random(31);
  for (int batch = 0; batch < 5; ++batch) {
    std::string source;
    std::vector<std::unique_ptr<GridTreeModel>> models;
    std::vector<std::vector<Instance>> grids;
    for (int i = 0; i < 200; ++i) {
      const DecisionMap map =
          testing::random_map(random, testing::pick(random, 1, 6), testing::pick(random, 1, 9), 6);
      GridTreeOptions options{.reshape = static_cast<Reshape>(testing::pick(random, 0, 2))};
      if (i % 3 == 0) options.max_depth = testing::pick(random, 0, 4);
      const LabelGrid grid = make_label_grid(map);
      models.push_back(std::make_unique<GridTreeModel>(
          ModelOrigin{"random", "simulated", grid.collectives, grid.points()}, grid, options));
      grids.push_back(testing::grid_instances(map));
      const EmitOptions emit{.prefix = fmt::format("m{}", i), .merge = i % 2 == 0};
      source += find_emitter(i % 4 < 2 ? "c" : "c-table").emit(*models.back(), emit);
    }
    const Compiled compiled(source);
    for (int i = 0; i < 200; ++i) {
      expect_same(*models[static_cast<std::size_t>(i)], compiled, fmt::format("m{}", i),
                  grids[static_cast<std::size_t>(i)]);
    }
  }
}

RuleModel rules(RuleTree tree) {
  std::vector<Collective> collectives;
  for (const RuleTree::Root& root : tree.roots) collectives.push_back(root.collective);
  return {{"by \"hand\" */", "imported", collectives, 0}, std::move(tree)};
}

TEST(EmitC, PlacementAndPowersOfTwoAreParameters) {
  RuleTree tree{.methods = {{"a\"*/?"
                             "?/",
                             std::nullopt},
                            {"b", 7},
                            {"c", 0}},
                .roots = {{Collective::kBcast, 0}, {Collective::kReduce, 3}},
                .nodes = {}};
  append_test(tree, Attribute::kCommunicatorSizeIsPowerOfTwo, 0);
  append_test(tree, Attribute::kRanksPerNode, 3);
  append_leaf(tree, 0);
  append_leaf(tree, 1);
  append_leaf(tree, 2);
  tree.nodes[0].low = 1;
  tree.nodes[0].high = 4;
  tree.nodes[1].low = 2;
  tree.nodes[1].high = 3;
  const RuleModel model = rules(tree);
  for (const char* target : {"c", "c-table"}) {
    const Compiled compiled(find_emitter(target).emit(model, {}));
    const auto* methods = compiled.get<const CMethod>("colltree_methods");
    auto* const bcast =
        compiled.get<int(std::uint64_t, std::uint64_t, std::uint64_t)>("colltree_decide_bcast");
    for (const Instance& instance : testing::telling_instances(model.lower())) {
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

TEST(EmitC, OutputIsPinned) {
  RuleTree tree{.methods = {{"linear", 0}, {"binomial", 1024}},
                .roots = {{Collective::kBcast, 0}},
                .nodes = {}};
  append_test(tree, Attribute::kMessageSize, 2048);
  append_leaf(tree, 1);
  append_leaf(tree, 0);
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

TEST(EmitC, APrefixMustBeAnIdentifier) {
  RuleTree tree{.methods = {{"a", 0}}, .roots = {{Collective::kBcast, 0}}, .nodes = {}};
  append_leaf(tree, 0);
  EXPECT_THROW(find_emitter("c").emit(rules(tree), {.prefix = "1x"}), UsageError);
  EXPECT_THROW(find_emitter("c").emit(rules(tree), {.prefix = "a b"}), UsageError);
  EXPECT_THROW(find_emitter("cc"), UsageError);
}

TEST(EmitDot, NamesTestsAndMethods) {
  RuleTree tree{.methods = {{"a", 0}, {"b", 0}}, .roots = {{Collective::kBcast, 0}}, .nodes = {}};
  append_test(tree, Attribute::kMessageSize, 2048);
  append_leaf(tree, 1);
  append_leaf(tree, 0);
  tree.nodes[0].low = 1;
  tree.nodes[0].high = 2;
  const std::string dot = find_emitter("dot").emit(rules(tree), {});
  EXPECT_THAT(dot, ::testing::HasSubstr("n0 [label=\"message_size <= 2048\"];"));
  EXPECT_THAT(dot, ::testing::HasSubstr("n0 -> n1 [label=\"yes\"];"));
  EXPECT_THAT(dot, ::testing::HasSubstr("n1 [shape=box, label=\"B_0K\"];"));
}

}  // namespace
}  // namespace colltree
