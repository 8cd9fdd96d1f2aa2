// SPDX-License-Identifier: BSD-3-Clause
// For tests: trees of one collective, random ones of methods that a target can express, and files
// of them; and what MPICH does without a file.
#pragma once

#include <typeinfo>

#include "base/text.h"
#include "model/kinds/quadtree.h"
#include "model/model.h"
#include "model/test_models.h"
#include "rules/adapt.h"
#include "rules/mpich/mpich_conditions.h"
#include "rules/mpich/mpich_methods.h"
#include "rules/openmpi/openmpi_han.h"
#include "rules/targets.h"

namespace colltree::testing {

// Of targets that are one format of several versions of a library without algorithms of its own
// (UCC) the last: the others differ from it by names only.
inline std::vector<const rules::RuleTarget*> formats() {
  std::vector<const rules::RuleTarget*> all;
  for (const rules::RuleTarget& target : rules::rule_targets()) {
    const bool again = !all.empty() && !target.library && typeid(*all.back()) == typeid(target);
    if (again) all.pop_back();
    all.push_back(&target);
  }
  return all;
}

// Methods that the target can express, for the collective; any parameters that a file can hold.
inline std::vector<Method> expressible(const rules::RuleTarget& target, Collective collective) {
  std::vector<Method> methods;
  if (target.neutral) return {{"linear", 0}, {"x", std::nullopt}, {"y", 4096}};
  if (!target.names.empty()) {
    for (const std::string& one : rules::target_names(target, collective)) {
      if (target.express(collective, {one, 0}).method) methods.push_back({one, 0});
    }
    return methods;
  }
  for (const LibraryAlgorithm& one : algorithms_of(target.library.value_or(Library::kOpenmpi))) {
    if (one.collective != collective) continue;
    for (const std::uint64_t segment : {std::uint64_t{0}, std::uint64_t{1024}}) {
      if (segment != 0 && (one.parameters & kSegmentSize) == 0) continue;
      const Method method{std::string(one.algorithm), segment};
      const rules::Expressed expressed = target.express(collective, method);
      if (expressed.method) methods.push_back(*expressed.method);
    }
  }
  return methods;
}

inline model::RuleTree random_tree(Random& random, Collective collective,
                                   const std::vector<Method>& methods, bool powers_of_two) {
  DecisionMap map = random_map(random, pick(random, 1, 6), pick(random, 1, 8), 3);
  map.collective = collective;
  for (Method& method : map.methods) method = methods[pick(random, 0, methods.size() - 1)];
  const model::LabelGrid grid = model::make_label_grid(map);
  model::RuleTree tree =
      model::fit_quadtree({"random", "simulated", grid.collectives, grid.points()}, grid, {}).rules;
  if (!powers_of_two) return tree;
  // A test above the old root: powers of two always take the first method.
  model::RuleTree above{.methods = tree.methods};
  const std::uint32_t test = model::append_test(above, Attribute::kCommunicatorSizeIsPowerOfTwo, 0);
  for (model::RuleNode node : tree.nodes) {
    if (!node.is_leaf()) {
      ++node.low;
      ++node.high;
    }
    above.nodes.push_back(node);
  }
  above.nodes[test].low = tree.roots[0].node + 1;
  above.nodes[test].high = model::append_leaf(above, 0);
  above.roots = {{collective, test}};
  model::validate(above);
  return above;
}

// `low` up to the threshold of the attribute.
inline model::RuleTree two_leaves(Collective collective, Attribute attribute,
                                  std::uint64_t threshold, const Method& low, const Method& high) {
  model::RuleTree tree{.methods = {low, high}, .roots = {{collective, 0}}, .nodes = {}};
  model::append_test(tree, attribute, threshold);
  tree.nodes[0].low = model::append_leaf(tree, 0);
  tree.nodes[0].high = model::append_leaf(tree, 1);
  return tree;
}

inline std::string random_file(Random& random, const rules::RuleTarget& target,
                               Collective collective) {
  const std::vector<Method> methods = expressible(target, collective);
  const model::RuleTree tree = random_tree(random, collective, methods, pick(random, 0, 2) == 0);
  return target.write(rules::adapt_rules(tree, target, {.allow_unsafe = true}).keyed, "random");
}

// For tests: what MPICH does without a selection file, looked up in mpich/mpich.json.

inline constexpr const char* kMpichTargets[] = {"mpich-4.0", "mpich-4.1", "mpich-4.2", "mpich-4.3",
                                                "mpich-5.0"};

inline bool holds(const rules::MpichTest& test, const Instance& at, std::uint32_t facts) {
  if (test.value == "any") return true;
  if (test.value == "node_comm_size") return at.nodes == 1;
  if (test.key == "comm_type") return test.value == "intra";
  if (const std::uint32_t need = rules::facts_of(test).need)
    return ((facts & need) != 0) == rules::facts_of(test).met;
  const std::uint64_t value = test.key == "comm_size"
                                  ? at.communicator_size
                                  : rules::message_key(*rules::mpich_size_key(at.collective), at);
  const std::uint64_t bound = parse_number<std::uint64_t>(test.value).value();
  return test.comparison == "<" ? value < bound : value <= bound;
}

// The leaf of a file that a call comes to: "algorithm=..." or "composition=...".
inline std::string mpich_leaf_at(const Json& node, const Instance& at, std::uint32_t facts) {
  for (const Json::Member& member : node.items()) {
    const rules::MpichTest test = rules::split_test(member.key);
    if (test.key == "algorithm" || test.key == "composition") return member.key;
    if (holds(test, at, facts)) return mpich_leaf_at(member.value, at, facts);
  }
  return "none";
}

inline std::string mpich_own_leaf(rules::MpichLayer layer, const Instance& at,
                                  std::uint32_t facts) {
  const std::string key = std::string(rules::kCollectiveKey) + std::string(name(at.collective));
  return mpich_leaf_at(rules::mpich_stock(layer)[key], at, facts);
}

inline Method mpich_own_choice(const rules::RuleTarget& target, const Instance& at,
                               std::uint32_t facts) {
  const std::string leaf = mpich_own_leaf(rules::MpichLayer::kSelection, at, facts);
  const LibraryAlgorithm* found =
      rules::mpich_algorithm(target, at.collective, rules::split_test(leaf).value);
  return {std::string(found->algorithm), 0};
}

}  // namespace colltree::testing
