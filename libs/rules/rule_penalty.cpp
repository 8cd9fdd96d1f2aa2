// SPDX-License-Identifier: BSD-3-Clause
#include "rules/rule_penalty.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "rules/openmpi/openmpi_han.h"
#include "timings/penalty.h"

namespace colltree::rules {

Method name_in(const RuleTarget& target, const Timings& timings, const Method& canonical) {
  if (is_library_default(canonical)) return canonical;
  std::optional<Method> close;  // such as another radix, which the target cannot say
  for (const Method& method : timings.methods) {
    const Expressed expressed = target.express(timings.collective, method);
    if (expressed.method != canonical) continue;
    if (expressed.reason.empty()) return method;
    // No method of coll/tuned is the same as the choice of coll/tuned itself.
    if (!close && canonical.algorithm != kHandedToTuned) close = method;
  }
  return close.value_or(canonical);
}

namespace {

template <typename Choose>
RulePenalty penalty_of(const RuleSet& rules, const std::vector<Timings>& timings, Choose choose) {
  RulePenalty result;
  double sum = 0;
  for (const Timings& measured : timings) {
    const CollectiveRules* collective_rules = rules.find(measured.collective);
    if (collective_rules == nullptr) continue;
    const PenaltyPoints points = penalty_points(measured, [&](const Instance& instance) {
      return choose(measured, *collective_rules, instance);
    });
    for (const double value : points.values) sum += value;
    result.instances += points.values.size();
    result.without_time += points.cannot_run.size();
    result.predicted += points.predicted;
  }
  if (result.instances > 0) result.mean = sum / static_cast<double>(result.instances);
  return result;
}

}  // namespace

RulePenalty model_penalty(const model::RuleTree& tree, const RuleSet& rules,
                          const std::vector<Timings>& timings) {
  return penalty_of(rules, timings,
                    [&](const Timings&, const CollectiveRules&, const Instance& instance) {
                      return model::decide(tree, instance);
                    });
}

RulePenalty rule_penalty(const RuleSet& rules, const std::vector<Timings>& timings,
                         const RuleTarget* target, RuleUnit unit) {
  return penalty_of(rules, timings,
                    [&](const Timings& measured, const CollectiveRules& collective_rules,
                        const Instance& instance) {
                      const Method method = decide(
                          collective_rules, unit == RuleUnit::kKey ? query_of(*target, instance)
                                                                   : query_of(instance));
                      return target == nullptr ? method : name_in(*target, measured, method);
                    });
}

namespace {

std::vector<std::size_t> instances_in(const Rule& rule, const Timings& timings) {
  std::vector<std::size_t> inside;
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    const Instance& instance = timings.instances[i];
    const bool in_placement =
        instance.ranks_per_node == 0 ||
        (rule.ranks_per_node.holds(instance.ranks_per_node) && rule.nodes.holds(instance.nodes));
    if (rule.communicator_size.holds(instance.communicator_size) &&
        rule.message.holds(instance.message_size) && in_placement) {
      inside.push_back(i);
    }
  }
  return inside;
}

// Returns the mean time relative to the best, which is infinite if a time is missing.
double mean_ratio(const Timings& timings, const std::vector<std::size_t>& inside,
                  const Method& method) {
  double sum = 0;
  for (const std::size_t i : inside) {
    const double time = timings.time_of(i, method).known_us();
    if (std::isnan(time)) return INFINITY;
    sum += time / timings.least_known_us(i);
  }
  return sum;
}

std::optional<Method> best_timed(const RuleTarget& target, const Rule& rule, const Timings& timings,
                                 const Allowed& allowed) {
  const std::vector<std::size_t> inside = instances_in(rule, timings);
  if (inside.empty()) return std::nullopt;
  std::optional<Method> best;
  double least = INFINITY;
  const auto consider = [&](const Method& measured, const Method& canonical) {
    Rule candidate = rule;
    candidate.method = canonical;
    if (!allowed(candidate)) return;
    const double ratio = mean_ratio(timings, inside, measured);
    if (ratio >= least) return;
    least = ratio;
    best = canonical;
  };
  consider(library_default(), library_default());
  for (const Method& method : timings.methods) {
    const Expressed expressed = target.express(timings.collective, method);
    if (expressed.method) consider(method, *expressed.method);
  }
  return best;
}

}  // namespace

Method replacement(const RuleTarget& target, const Rule& rule, const Timings* timings,
                   Collective collective, const Allowed& allowed) {
  if (timings != nullptr) {
    if (const auto best = best_timed(target, rule, *timings, allowed)) return *best;
  }
  Rule plain = rule;
  plain.method.segment_size = 0;
  const Expressed expressed = target.express(collective, plain.method);
  if (expressed.method) {
    plain.method = *expressed.method;
    if (allowed(plain)) return plain.method;
  }
  return library_default();
}

bool has_several_sizes(const CollectiveRules& rules) {
  return std::ranges::any_of(rules.rules, [](const Rule& rule) {
    return rule.message.least != 0 || rule.message.most != UINT64_MAX;
  });
}

namespace {

bool one_row(const Rule& a, const Rule& b) {
  return a.communicator_size == b.communicator_size && same_placement(a, b);
}

// The method that holds most of the sizes 0, 1, 2, 4, ... 16 MB is taken.
Method widest(const std::vector<Rule>& row) {
  std::map<Method, std::size_t> held;
  for (const Rule& rule : row) {
    std::size_t& count = held[rule.method];
    for (unsigned bit = 0; bit <= 24; ++bit) {
      count += rule.message.holds(std::uint64_t{1} << bit) ? 1 : 0;
    }
  }
  return std::ranges::max_element(held, {},
                                  [](const auto& held_method) { return held_method.second; })
      ->first;
}

bool leaves_one(const std::vector<Rule>& rules) {
  return std::ranges::any_of(rules, is_library_default, &Rule::method);
}

Method for_all_sizes(const RuleTarget& target, const std::vector<Rule>& row, const Rule& whole,
                     const Joining& joining) {
  if (!joining.replace_default && leaves_one(row)) return library_default();
  std::optional<Method> best;
  if (joining.timings != nullptr)
    best = best_timed(target, whole, *joining.timings, joining.allowed);
  return best ? *best : widest(row);
}

}  // namespace

bool leaves_some(const CollectiveRules& rules) { return leaves_one(rules.rules); }

void join_sizes(const RuleTarget& target, CollectiveRules& rules, const Joining& joining) {
  std::vector<Rule> joined;
  for (std::size_t first = 0; first < rules.rules.size();) {
    std::vector<Rule> row;
    while (first < rules.rules.size() && (row.empty() || one_row(row[0], rules.rules[first]))) {
      row.push_back(rules.rules[first++]);
    }
    Rule merged = row[0];
    merged.message = {};
    merged.method = for_all_sizes(target, row, merged, joining);
    joined.push_back(merged);
  }
  rules.rules = std::move(joined);
  merge_rules(rules);
}

RuleRow with_defaults_of(const std::vector<RuleRow>& rows, const RuleRow& row) {
  std::set<std::uint64_t> begins;
  for (const RuleRow& joined_row : rows) {
    for (const Rule& rule : joined_row) begins.insert(rule.message.least);
  }
  RuleRow joined;
  for (auto begin = begins.begin(); begin != begins.end(); ++begin) {
    const auto next = std::next(begin);
    const auto holds = [&](const Rule& rule) { return rule.message.holds(*begin); };
    const bool left = std::ranges::any_of(rows, [&](const RuleRow& joined_row) {
      const auto found = std::ranges::find_if(joined_row, holds);
      return found != joined_row.end() && is_library_default(found->method);
    });
    joined.push_back(*std::ranges::find_if(row, holds));
    joined.back().message = {*begin, next == begins.end() ? UINT64_MAX : *next - 1};
    joined.back().communicator_size = {};
    if (left) joined.back().method = library_default();
  }
  return joined;
}

}  // namespace colltree::rules
