// SPDX-License-Identifier: BSD-3-Clause
#include "rules/rule_set.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/error.h"
#include "coll/catalogue.h"

namespace colltree::rules {

std::string text(const Span& span, const char* unit) {
  if (span.least == span.most) return fmt::format("{} {}", span.least, unit);
  if (span.most == UINT64_MAX) return fmt::format("{} {} and more", span.least, unit);
  return fmt::format("{} to {} {}", span.least, span.most, unit);
}

bool leaves_all(const CollectiveRules& rules) {
  return std::ranges::all_of(rules.rules, is_library_default, &Rule::method);
}

const CollectiveRules* RuleSet::find(Collective collective) const {
  const auto found = std::ranges::find(collectives, collective, &CollectiveRules::collective);
  return found == collectives.end() ? nullptr : &*found;
}

CollectiveRules& RuleSet::rules_for(Collective collective) {
  const auto found = std::ranges::find(collectives, collective, &CollectiveRules::collective);
  if (found != collectives.end()) return *found;
  return collectives.emplace_back(CollectiveRules{.collective = collective});
}

std::uint32_t usual_facts(const Instance& instance) {
  const std::uint64_t ranks = instance.communicator_size;
  std::uint32_t facts = kCommutative | kBuiltInOperation | kNotInPlace | kConsecutiveNodes |
                        size_facts(ranks, instance.message_size) |
                        node_facts(instance.nodes, instance.ranks_per_node);
  const bool split = message_unit(instance.collective) == MessageUnit::kTotal;  // over the ranks
  if (!split || ranks == 0 || instance.message_size % ranks == 0) facts |= kRegularBlocks;
  return facts;
}

RuleQuery query_of(const Instance& instance) { return {instance, usual_facts(instance)}; }

namespace {

bool has_sizes(const Rule& rule, const RuleQuery& query) {
  return rule.communicator_size.holds(query.call.communicator_size) &&
         rule.message.holds(query.call.message_size);
}

bool has_placement(const Rule& rule, const RuleQuery& query) {
  return rule.ranks_per_node.holds(query.call.ranks_per_node) && rule.nodes.holds(query.call.nodes);
}

bool has_facts(const Rule& rule, const RuleQuery& query) {
  return (rule.required & ~query.facts) == 0 && (rule.excluded & query.facts) == 0;
}

}  // namespace

const Rule* find_rule(const CollectiveRules& rules, const RuleQuery& query) {
  for (const Rule& rule : rules.rules) {
    if (rule.usual && has_sizes(rule, query) && has_placement(rule, query) &&
        has_facts(rule, query)) {
      return &rule;
    }
  }
  return nullptr;
}

std::vector<const Rule*> rules_of_other_calls(const CollectiveRules& rules,
                                              const RuleQuery& query) {
  std::vector<const Rule*> found;
  for (const Rule& rule : rules.rules) {
    if (!has_sizes(rule, query) || !has_facts(rule, query)) continue;
    const bool elsewhere = (query.call.nodes == 0 && !rule.nodes.holds(0)) ||
                           (query.call.ranks_per_node == 0 && !rule.ranks_per_node.holds(0));
    if (elsewhere || (!rule.usual && has_placement(rule, query))) found.push_back(&rule);
  }
  return found;
}

Method decide(const CollectiveRules& rules, const RuleQuery& query) {
  const Rule* rule = find_rule(rules, query);
  return rule == nullptr ? library_default() : rule->method;
}

namespace {

bool covers_rule(const Rule& outer, const Rule& inner) {
  return covers(outer.communicator_size, inner.communicator_size) &&
         covers(outer.message, inner.message) &&
         covers(outer.ranks_per_node, inner.ranks_per_node) && covers(outer.nodes, inner.nodes) &&
         (outer.required & ~inner.required) == 0 && (outer.excluded & ~inner.excluded) == 0 &&
         std::ranges::all_of(outer.conditions, [&](const std::string& condition) {
           return std::ranges::count(inner.conditions, condition) > 0;
         });
}

bool empty(const Span& span) { return span.least > span.most; }

std::vector<RuleRow> rows_of(const std::vector<Rule>& rules) {
  std::vector<RuleRow> rows;
  for (const Rule& rule : rules) {
    const Rule* const first = rows.empty() ? nullptr : &rows.back().front();
    if (first == nullptr || first->communicator_size != rule.communicator_size ||
        !same_placement(*first, rule) || first->required != rule.required ||
        first->excluded != rule.excluded || first->conditions != rule.conditions)
      rows.emplace_back();
    RuleRow& row = rows.back();
    if (!row.empty() && row.back().method == rule.method) {
      row.back().message.most = rule.message.most;
    } else {
      row.push_back(rule);
    }
  }
  return rows;
}

bool follows(const RuleRow& below, const RuleRow& above) {
  if (below.size() != above.size() ||
      below[0].communicator_size.most + 1 != above[0].communicator_size.least) {
    return false;
  }
  for (std::size_t i = 0; i < below.size(); ++i) {
    Rule moved = above[i];
    moved.communicator_size = below[i].communicator_size;
    if (moved != below[i]) return false;
  }
  return true;
}

}  // namespace

std::vector<const Rule*> unreachable_rules(const CollectiveRules& rules) {
  std::vector<const Rule*> unreachable;
  for (std::size_t i = 0; i < rules.rules.size(); ++i) {
    const Rule& rule = rules.rules[i];
    const bool none = empty(rule.communicator_size) || empty(rule.message);
    const bool covered =
        std::any_of(rules.rules.begin(), rules.rules.begin() + static_cast<std::ptrdiff_t>(i),
                    [&](const Rule& earlier) { return covers_rule(earlier, rule); });
    if (none || covered) unreachable.push_back(&rule);
  }
  return unreachable;
}

void merge_rules(CollectiveRules& rules) {
  std::vector<RuleRow> merged;
  for (RuleRow& row : rows_of(rules.rules)) {
    if (!merged.empty() && follows(merged.back(), row)) {
      for (Rule& rule : merged.back()) rule.communicator_size.most = row[0].communicator_size.most;
    } else {
      merged.push_back(std::move(row));
    }
  }
  rules.rules.clear();
  for (const RuleRow& row : merged) rules.rules.insert(rules.rules.end(), row.begin(), row.end());
}

void cut_rows(CollectiveRules& rules, std::uint64_t ranks) {
  std::vector<Rule> low;
  std::vector<Rule> high;
  std::vector<Rule> result;
  const auto flush = [&] {
    result.insert(result.end(), low.begin(), low.end());
    result.insert(result.end(), high.begin(), high.end());
    low.clear();
    high.clear();
  };
  const Rule* before = nullptr;
  for (const Rule& rule : rules.rules) {
    if (before != nullptr &&
        (before->communicator_size != rule.communicator_size || !same_placement(*before, rule))) {
      flush();
    }
    before = &rule;
    low.push_back(rule);
    if (!rule.communicator_size.holds(ranks) || rule.communicator_size.most == ranks) continue;
    low.back().communicator_size.most = ranks;
    high.push_back(rule);
    high.back().communicator_size.least = ranks + 1;
  }
  flush();
  rules.rules = std::move(result);
}

// Turns a rule tree into rules: the thresholds of the tree cut communicator and message sizes into
// intervals, and the tree is asked once for each combination. The result is exact by construction.

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

// Every power of two becomes an interval of its own between those of its neighbours.
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

// Any value inside the interval gives the same answer. The last one is taken, which is a power of
// two only if the interval holds nothing else.
std::set<std::uint64_t> communicator_thresholds(const model::Thresholds& thresholds,
                                                std::uint64_t ranks_per_node) {
  std::set<std::uint64_t> sizes = thresholds[Attribute::kCommunicatorSize];
  if (!thresholds[Attribute::kCommunicatorSizeIsPowerOfTwo].empty()) add_powers_of_two(sizes);
  for (const std::uint64_t nodes : thresholds[Attribute::kNodes]) {
    if (ranks_per_node != 0 && nodes < UINT32_MAX) sizes.insert(nodes * ranks_per_node);
  }
  return sizes;
}

}  // namespace

std::vector<std::uint64_t> placements_of(const model::RuleTree& tree,
                                         const model::RuleTree::Root& root) {
  const model::Thresholds thresholds = model::thresholds_of(tree, root.node);
  const auto& per_node = thresholds[Attribute::kRanksPerNode];
  if (per_node.empty()) {
    return {thresholds[Attribute::kNodes].empty() ? std::uint64_t{0} : std::uint64_t{1}};
  }
  std::vector<std::uint64_t> values(per_node.begin(), per_node.end());
  values.push_back(*per_node.rbegin() + 1);
  if (values.front() == 0) values.erase(values.begin());  // no communicator has 0 ranks on a node
  return values;
}

namespace {

// `cuts` are the communicator sizes at which the decision may change. `place` gives an instance its
// nodes and ranks per node.
CollectiveRules rules_where(const model::RuleTree& tree, const model::RuleTree::Root& root,
                            const std::set<std::uint64_t>& cuts,
                            const std::function<void(Instance&)>& place) {
  const model::Thresholds thresholds = model::thresholds_of(tree, root.node);
  if (!thresholds[Attribute::kMessageSizeIsEven].empty()) {
    throw Error(fmt::format(
        "the decision of {} asks whether the message size is even, which no rules file can ask: "
        "fit the model without parity=true",
        name(root.collective)));
  }
  const auto messages = spans_of(thresholds[Attribute::kMessageSize]);
  CollectiveRules result{.collective = root.collective};
  for (const Span& ranks : spans_of(cuts)) {
    for (const Span& bytes : messages) {
      Instance instance{root.collective, ranks.most, bytes.most};
      place(instance);
      Rule rule{.communicator_size = ranks, .message = bytes};
      rule.method = tree.methods[model::decide_from(tree, root.node, instance)];
      result.rules.push_back(rule);
    }
    // Equal rows are joined at once, because a tree with power-of-two tests has many of them.
    if (result.rules.size() > 4096) merge_rules(result);
  }
  merge_rules(result);
  return result;
}

CollectiveRules rules_of_one_node(const model::RuleTree& tree, const model::RuleTree::Root& root) {
  const model::Thresholds thresholds = model::thresholds_of(tree, root.node);
  std::set<std::uint64_t> cuts = communicator_thresholds(thresholds, 0);
  cuts.insert(thresholds[Attribute::kRanksPerNode].begin(),
              thresholds[Attribute::kRanksPerNode].end());
  return rules_where(tree, root, cuts, [](Instance& instance) {
    instance.nodes = 1;
    instance.ranks_per_node = instance.communicator_size;
  });
}

}  // namespace

CollectiveRules rules_of(const model::RuleTree& tree, const model::RuleTree::Root& root,
                         std::uint64_t ranks_per_node) {
  const std::set<std::uint64_t> cuts =
      communicator_thresholds(model::thresholds_of(tree, root.node), ranks_per_node);
  return rules_where(tree, root, cuts, [ranks_per_node](Instance& instance) {
    instance.nodes = nodes_for(instance.communicator_size, ranks_per_node);
    instance.ranks_per_node = ranks_per_node;
  });
}

CollectiveRules rules_by_distribution(const model::RuleTree& tree,
                                      const model::RuleTree::Root& root,
                                      std::uint64_t ranks_per_node) {
  const CollectiveRules any = rules_of(tree, root, ranks_per_node);
  CollectiveRules result{.collective = root.collective};
  const auto add = [&](CollectiveRules part, Span Rule::*axis) {
    if (part == any) return;
    for (Rule& rule : part.rules) rule.*axis = {0, 1};
    result.rules.insert(result.rules.end(), part.rules.begin(), part.rules.end());
  };
  add(rules_of(tree, root, 1), &Rule::ranks_per_node);
  add(rules_of_one_node(tree, root), &Rule::nodes);
  result.rules.insert(result.rules.end(), any.rules.begin(), any.rules.end());
  return result;
}

CollectiveRules rules_by_placement(const model::RuleTree& tree, const model::RuleTree::Root& root) {
  const std::vector<std::uint64_t> placements = placements_of(tree, root);
  CollectiveRules result{.collective = root.collective};
  for (std::size_t i = 0; i < placements.size(); ++i) {
    CollectiveRules placed_rules = rules_of(tree, root, placements[i]);
    const Span span{i == 0 ? 0 : placements[i - 1] + 1,
                    i + 1 == placements.size() ? UINT64_MAX : placements[i]};
    for (Rule& rule : placed_rules.rules) rule.ranks_per_node = span;
    result.rules.insert(result.rules.end(), placed_rules.rules.begin(), placed_rules.rules.end());
  }
  return result;
}

}  // namespace colltree::rules
