// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "engine/rules/rules.h"
#include "engine/split.h"

namespace colltree::c45 {

namespace {

Condition condition_of(const Tree& tree, std::uint32_t index, std::uint32_t branch,
                       std::size_t tree_number) {
  const Node& node = tree.nodes[index];
  Condition condition{.attribute = node.attribute};
  switch (node.test) {
    case TestKind::kThreshold:
      condition.kind = ConditionKind::kThreshold;
      condition.cut = node.cut;
      condition.above = branch == 1;
      break;
    case TestKind::kValues:
      condition.kind = ConditionKind::kValue;
      condition.value = branch + 1;
      break;
    case TestKind::kGroups:
      condition.kind = ConditionKind::kGroup;
      condition.values = group_values(tree, node, branch);
      condition.test = (static_cast<std::uint64_t>(tree_number) << 48U) |
                       (static_cast<std::uint64_t>(index) << 16U) | branch;
      break;
    case TestKind::kLeaf:
      break;
  }
  return condition;
}

bool same(const Condition& a, const Condition& b, bool strict_r8) {
  if (a.kind != b.kind || a.attribute != b.attribute) return false;
  switch (a.kind) {
    case ConditionKind::kValue:
      return a.value == b.value;
    case ConditionKind::kThreshold:
      return a.cut == b.cut && (strict_r8 || a.above == b.above);
    case ConditionKind::kGroup:
      return strict_r8 ? a.test == b.test : a.values == b.values;
  }
  return false;
}

bool same(const Rule& a, const Rule& b, bool strict_r8) {
  if (a.label != b.label || a.conditions.size() != b.conditions.size()) return false;
  return std::ranges::all_of(a.conditions, [&](const Condition& one) {
    return std::ranges::any_of(b.conditions,
                               [&](const Condition& other) { return same(one, other, strict_r8); });
  });
}

struct Tally {
  std::uint32_t total = 0;
  std::uint32_t errors = 0;
};

// [0] for the whole rule, [d] for the rule without condition d - 1.
std::vector<Tally> tally(const Rule& rule, const Cases& cases) {
  const std::span<const Condition> conditions = rule.conditions;
  std::vector<Tally> tallies(conditions.size() + 1);
  for (std::uint32_t id = 0; id < cases.size(); ++id) {
    std::size_t failed = 0;
    std::size_t failures = 0;
    for (std::size_t d = 0; d < conditions.size() && failures < 2; ++d) {
      if (satisfies(conditions[d], cases, id)) continue;
      failed = d + 1;
      ++failures;
    }
    if (failures > 1) continue;
    const std::uint32_t wrong = cases.label[id] != rule.label;
    const auto add = [&](Tally& one) {
      ++one.total;
      one.errors += wrong;
    };
    if (failures == 1) {
      add(tallies[failed]);
    } else {
      for (Tally& one : tallies) add(one);
    }
  }
  return tallies;
}

double log_choose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

// Fisher's exact test, one-sided: how likely so few of the errors fall among the cases that meet
// the condition, were it drawn by lot.
double chance(const Tally& with, const Tally& without) {
  const double met = with.total;
  const double unmet = without.total - met;
  double sum = 0;
  for (std::uint32_t e = 0; e <= with.errors; ++e) {
    const double elsewhere = without.errors - e;
    if (elsewhere > unmet) continue;
    sum += std::exp(log_choose(met, e) + log_choose(unmet, elsewhere) -
                    log_choose(without.total, without.errors));
  }
  return sum;
}

// Not a strict order: the scan order of the sort below matters.
bool before(const Condition& a, const Condition& b) {
  return a.attribute < b.attribute || a.kind < b.kind ||
         (a.attribute == b.attribute && a.cut < b.cut);
}

std::vector<Condition> sorted_conditions(std::vector<Condition> full, std::vector<char> dropped) {
  std::size_t sorted = 0;
  for (;; ++sorted) {
    std::size_t best = full.size();
    for (std::size_t d = sorted; d < full.size(); ++d) {
      if (!dropped[d] && (best == full.size() || before(full[d], full[best]))) best = d;
    }
    if (best == full.size()) break;
    std::swap(full[sorted], full[best]);
    std::swap(dropped[sorted], dropped[best]);
  }
  full.resize(sorted);
  return full;
}

std::size_t position_of_live(const std::vector<char>& dropped, std::size_t number) {
  std::size_t at = 0;
  for (std::size_t live = 0; at < dropped.size(); ++at) {
    if (!dropped[at] && ++live == number) break;
  }
  return at;
}

// The conditions of a rule while they are dropped one by one.
class Trimming {
 public:
  Trimming(const Rule& rule, const Cases& cases, const Pessimistic& pessimistic,
           float default_error)
      : tallies_(tally(rule, cases)), pessimistic_(pessimistic), default_error_(default_error) {}

  bool covers_nothing() const { return tallies_[0].total == 0; }
  float whole() const { return rate(tallies_[0]); }

  // Which condition to drop, from 1; 0: none. The one with the lowest rate among all, even if only
  // another one called for dropping.
  std::size_t next(std::optional<float> fisher_percent) const {
    std::size_t lowest = 0;
    bool drop = false;
    for (std::size_t d = 1; d < tallies_.size(); ++d) {
      const Tally& without = tallies_[d];
      if (lowest == 0 || rate(without) <= rate(tallies_[lowest])) lowest = d;
      drop |= rate(without) <= whole() || actual(without) <= actual(tallies_[0]);
      drop |= fisher_percent && chance(tallies_[0], without) > *fisher_percent / 100;
    }
    return drop ? lowest : 0;
  }

 private:
  float rate(const Tally& t) const {
    const auto total = static_cast<float>(t.total);
    const auto errors = static_cast<float>(t.errors);
    return t.total > 0 ? (errors + pessimistic_.extra(total, errors)) / total : default_error_;
  }
  static float actual(const Tally& t) {
    return t.total > 0 ? static_cast<float>(t.errors) / static_cast<float>(t.total) : 0.0F;
  }

  std::vector<Tally> tallies_;
  const Pessimistic& pessimistic_;
  float default_error_;
};

}  // namespace

std::vector<Rule> path_rules(const Tree& tree, std::size_t tree_number) {
  std::vector<Rule> rules;
  struct Step {
    std::uint32_t node;
    std::uint32_t next;
  };
  std::vector<Step> path = {{0, 0}};
  std::vector<Condition> conditions;
  while (!path.empty()) {
    Step& step = path.back();
    const Node& node = tree.nodes[step.node];
    if (node.is_leaf() && node.items >= 1) {
      rules.push_back({.label = node.label, .conditions = conditions});
    }
    if (node.is_leaf() || step.next == node.count) {
      path.pop_back();
      if (!conditions.empty()) conditions.pop_back();
      continue;
    }
    const std::uint32_t branch = step.next++;
    conditions.push_back(condition_of(tree, step.node, branch, tree_number));
    path.push_back({tree.branches(node)[branch], 0});
  }
  return rules;
}

void add_rule(std::vector<Rule>& rules, Rule rule, bool strict_r8) {
  for (Rule& known : rules) {
    if (!same(known, rule, strict_r8)) continue;
    known.error = std::max(known.error, rule.error);
    return;
  }
  rule.number = static_cast<std::uint32_t>(rules.size()) + 1;
  rules.push_back(std::move(rule));
}

RulePruner::RulePruner(const Schema& schema, const Cases& cases, const RuleOptions& options)
    : cases_(cases),
      pessimistic_(confidence_fraction(options.confidence_percent)),
      fisher_percent_(options.fisher_percent) {
  std::vector<std::size_t> frequency(schema.classes.size(), 0);
  for (const std::uint32_t c : cases.label) ++frequency[c];
  for (const std::size_t f : frequency) {
    default_error_.push_back(static_cast<float>(
        1.0 - (static_cast<double>(f) + 1.0) / (static_cast<double>(cases.size()) + 2.0)));
  }
}

bool RulePruner::prune(Rule& rule) const {
  const float default_error = default_error_[rule.label];
  std::vector<Condition> full = rule.conditions;
  std::vector<char> dropped(full.size(), false);
  for (;;) {
    const Trimming trimming(rule, cases_, pessimistic_, default_error);
    const std::size_t drop = trimming.next(fisher_percent_);
    if (drop == 0) {
      rule.error = trimming.whole();
      if (rule.conditions.empty() || trimming.covers_nothing() || rule.error >= default_error) {
        return false;
      }
      rule.conditions = sorted_conditions(std::move(full), std::move(dropped));
      return true;
    }
    dropped[position_of_live(dropped, drop)] = true;
    rule.conditions.erase(rule.conditions.begin() + static_cast<std::ptrdiff_t>(drop) - 1);
  }
}

}  // namespace colltree::c45
