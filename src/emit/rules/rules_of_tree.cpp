// SPDX-License-Identifier: BSD-3-Clause
// Rule tree -> rules: the tree's thresholds cut communicator size and message size into intervals;
// each combination asks the tree once. Exact by construction.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "emit/rules/rule_set.h"

namespace colltree {

namespace {

constexpr unsigned kMostRanksBits = 20;  // power-of-two tests are unrolled up to 2^20 ranks

std::vector<Span> spans_of(const std::set<std::uint64_t>& thresholds) {
  std::vector<Span> spans;
  std::uint64_t least = 0;
  for (const std::uint64_t threshold : thresholds) {
    spans.push_back({least, threshold});
    least = threshold + 1;
  }
  spans.push_back({least, UINT64_MAX});
  return spans;
}

// Each power of two becomes an interval of its own: 2^k lies alone between its neighbours.
void add_powers_of_two(std::set<std::uint64_t>& thresholds) {
  for (unsigned bit = 0; bit <= kMostRanksBits; ++bit) {
    const std::uint64_t power = std::uint64_t{1} << bit;
    thresholds.insert(power - 1);
    thresholds.insert(power);
  }
}

std::uint64_t nodes_for(std::uint64_t ranks, std::uint64_t ranks_per_node) {
  return ranks_per_node == 0 ? 0 : ranks / ranks_per_node + (ranks % ranks_per_node != 0 ? 1 : 0);
}

// Any value inside the interval gives the same answer; its last one is no power of two unless the
// interval is only that power.
std::set<std::uint64_t> communicator_thresholds(const Thresholds& thresholds,
                                                std::uint64_t ranks_per_node) {
  std::set<std::uint64_t> all = thresholds[Attribute::kCommunicatorSize];
  if (!thresholds[Attribute::kCommunicatorSizeIsPowerOfTwo].empty()) add_powers_of_two(all);
  for (const std::uint64_t nodes : thresholds[Attribute::kNodes]) {
    if (ranks_per_node != 0 && nodes < UINT32_MAX) all.insert(nodes * ranks_per_node);
  }
  return all;
}

}  // namespace

std::vector<std::uint64_t> placements_of(const RuleTree& tree, const RuleTree::Root& root) {
  const Thresholds thresholds = thresholds_of(tree, root.node);
  const auto& per_node = thresholds[Attribute::kRanksPerNode];
  if (per_node.empty()) {
    return {thresholds[Attribute::kNodes].empty() ? std::uint64_t{0} : std::uint64_t{1}};
  }
  std::vector<std::uint64_t> values(per_node.begin(), per_node.end());
  values.push_back(*per_node.rbegin() + 1);
  if (values.front() == 0) values.erase(values.begin());  // no communicator has 0 ranks on a node
  return values;
}

CollectiveRules rules_of(const RuleTree& tree, const RuleTree::Root& root,
                         std::uint64_t ranks_per_node) {
  const Thresholds thresholds = thresholds_of(tree, root.node);
  if (!thresholds[Attribute::kMessageSizeIsEven].empty()) {
    throw Error(fmt::format(
        "the decision of {} asks whether the message size is even, which no rules file can ask: "
        "fit the model without --parity",
        name(root.collective)));
  }
  const auto communicators = spans_of(communicator_thresholds(thresholds, ranks_per_node));
  const auto messages = spans_of(thresholds[Attribute::kMessageSize]);
  CollectiveRules made{.collective = root.collective};
  for (const Span& ranks : communicators) {
    for (const Span& bytes : messages) {
      const Instance instance{root.collective, ranks.most, bytes.most,
                              nodes_for(ranks.most, ranks_per_node), ranks_per_node};
      Rule rule{.communicator_size = ranks, .message = bytes};
      rule.method = tree.methods[decide_from(tree, root.node, instance)];
      made.rules.push_back(rule);
    }
    // Rows are put together as they come: a tree with power-of-two tests has many equal ones.
    if (made.rules.size() > 4096) merge_rules(made);
  }
  merge_rules(made);
  return made;
}

CollectiveRules rules_by_placement(const RuleTree& tree, const RuleTree::Root& root) {
  const std::vector<std::uint64_t> placements = placements_of(tree, root);
  CollectiveRules made{.collective = root.collective};
  for (std::size_t i = 0; i < placements.size(); ++i) {
    CollectiveRules one = rules_of(tree, root, placements[i]);
    const Span span{i == 0 ? 0 : placements[i - 1] + 1,
                    i + 1 == placements.size() ? UINT64_MAX : placements[i]};
    for (Rule& rule : one.rules) rule.ranks_per_node = span;
    made.rules.insert(made.rules.end(), one.rules.begin(), one.rules.end());
  }
  return made;
}

}  // namespace colltree
