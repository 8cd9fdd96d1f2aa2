// SPDX-License-Identifier: BSD-3-Clause
// For tests: random trees of a collective whose methods a target can express, and files of them.
#pragma once

#include "emit/rules/adapt.h"
#include "emit/rules/named_methods.h"
#include "emit/rules/targets/openmpi_han.h"
#include "model/kinds/quadtree.h"
#include "model/test_models.h"

namespace colltree::testing {

// Of targets that are one format of several versions of a library without algorithms of its own
// (UCC) the last: the others differ from it by names only.
inline std::vector<const RuleTarget*> formats() {
  std::vector<const RuleTarget*> all;
  for (const RuleTarget& target : rule_targets()) {
    const bool again = !all.empty() && !target.library && all.back()->read == target.read;
    if (again) all.pop_back();
    all.push_back(&target);
  }
  return all;
}

// Methods that the target can express, for the collective; any parameters that a file can hold.
inline std::vector<Method> expressible(const RuleTarget& target, Collective collective) {
  std::vector<Method> methods;
  if (target.neutral) return {{"linear", 0}, {"x", std::nullopt}, {"y", 4096}};
  if (!target.names.empty()) {
    for (const std::string& one : target_names(target, collective)) {
      if (target.express(target, collective, {one, 0}).method) methods.push_back({one, 0});
    }
    return methods;
  }
  for (const LibraryAlgorithm& one : algorithms_of(target.library.value_or(Library::kOpenmpi))) {
    if (one.collective != collective) continue;
    for (const std::uint64_t segment : {std::uint64_t{0}, std::uint64_t{1024}}) {
      if (segment != 0 && (one.parameters & kSegmentSize) == 0) continue;
      const Method method{std::string(one.algorithm), segment};
      const Expressed expressed = target.express(target, collective, method);
      if (expressed.method) methods.push_back(*expressed.method);
    }
  }
  return methods;
}

inline RuleTree random_tree(Random& random, Collective collective,
                            const std::vector<Method>& methods, bool powers_of_two) {
  DecisionMap map = random_map(random, pick(random, 1, 6), pick(random, 1, 8), 3);
  map.collective = collective;
  for (Method& method : map.methods) method = methods[pick(random, 0, methods.size() - 1)];
  const LabelGrid grid = make_label_grid(map);
  RuleTree tree =
      fit_quadtree({"random", "simulated", grid.collectives, grid.points()}, grid, {}).rules;
  if (!powers_of_two) return tree;
  // A test above the old root: powers of two always take the first method.
  RuleTree above{.methods = tree.methods};
  const std::uint32_t test = append_test(above, Attribute::kCommunicatorSizeIsPowerOfTwo, 0);
  for (RuleNode node : tree.nodes) {
    if (!node.is_leaf()) {
      ++node.low;
      ++node.high;
    }
    above.nodes.push_back(node);
  }
  above.nodes[test].low = tree.roots[0].node + 1;
  above.nodes[test].high = append_leaf(above, 0);
  above.roots = {{collective, test}};
  validate(above);
  return above;
}

inline std::string random_file(Random& random, const RuleTarget& target, Collective collective) {
  const std::vector<Method> methods = expressible(target, collective);
  const RuleTree tree = random_tree(random, collective, methods, pick(random, 0, 2) == 0);
  return target.write(target, adapt_rules(tree, target, {.allow_unsafe = true}).keyed, "random");
}

}  // namespace colltree::testing
