// SPDX-License-Identifier: BSD-3-Clause
// Writes the files that the fuzzer starts from: what our emitter makes of trees of all kinds.
//   cdt_seeds DIRECTORY
#include <fmt/core.h>

#include <filesystem>

#include "base/file.h"
#include "emit/cdt.h"
#include "model/kinds/quadtree.h"
#include "model/test_models.h"

namespace colltree {
namespace {

using testing::pick;
using testing::Random;

model::RuleTree lowered(const model::LabelGrid& grid, const model::GridTreeOptions& options) {
  return model::fit_quadtree({"seed", "simulated", grid.collectives, grid.points()}, grid, options)
      .rules;
}

model::RuleTree of_one_collective(Random& random, int round) {
  const DecisionMap map = testing::random_map(random, pick(random, 1, 8), pick(random, 1, 12), 7);
  model::GridTreeOptions options{.reshape = static_cast<model::Reshape>(round % 3)};
  if (round % 2 == 0) options.max_depth = pick(random, 0, 4);
  return lowered(model::make_label_grid(map), options);
}

model::RuleTree of_two_collectives(Random& random) {
  std::vector<DecisionMap> maps;
  for (const Collective collective : {Collective::kBcast, Collective::kAlltoall}) {
    maps.push_back(testing::random_map(random, 4, 5, 6));
    maps.back().collective = collective;
  }
  return lowered(model::make_collective_grid(maps), {.reshape = model::Reshape::kNone});
}

// A chain of tests on every attribute: the general path of the reader.
model::RuleTree of_all_attributes() {
  model::RuleTree tree{.methods = {{"a", 0}, {"b", 1024}, {"c", std::nullopt}},
                       .roots = {{Collective::kReduce, 0}},
                       .nodes = {}};
  for (std::size_t i = 0; i < kAttributes; ++i) {
    const auto attribute = static_cast<Attribute>(i);
    const bool is_flag = greatest_value(attribute) == 1;
    const std::uint32_t test = model::append_test(tree, attribute, is_flag ? 0 : 3 * i + 1);
    tree.nodes[test].low = model::append_leaf(tree, static_cast<std::uint16_t>(i % 3));
    tree.nodes[test].high = test + 2;
  }
  model::append_leaf(tree, 2);
  return tree;
}

void write_seeds(const std::filesystem::path& directory) {
  Random random(4);
  std::vector<model::RuleTree> trees = {of_all_attributes()};
  for (int round = 0; round < 12; ++round) trees.push_back(of_one_collective(random, round));
  for (int round = 0; round < 4; ++round) trees.push_back(of_two_collectives(random));
  for (std::size_t i = 0; i < trees.size(); ++i) {
    model::validate(trees[i]);
    write_file(directory / fmt::format("{}_tree.cdt", i),
               emit::make_cdt(trees[i], {"seed"}, emit::CdtForm::kTree));
    write_file(directory / fmt::format("{}_table.cdt", i),
               emit::make_cdt(trees[i], {"seed"}, emit::CdtForm::kTable));
  }
}

}  // namespace
}  // namespace colltree

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw std::runtime_error("usage: cdt_seeds DIRECTORY");
    colltree::write_seeds(argv[1]);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "cdt_seeds: {}\n", error.what());
    return 1;
  }
}
