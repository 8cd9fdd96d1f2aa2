// SPDX-License-Identifier: BSD-3-Clause
#include "emit/rules/rule_penalty.h"

#include "timings/penalty.h"

namespace colltree {

Method name_in(const RuleTarget& target, const Timings& timings, const Method& canonical) {
  if (is_library_default(canonical)) return canonical;
  std::optional<Method> close;  // such as another radix, which the target cannot say
  for (const Method& method : timings.methods) {
    const Expressed expressed = target.express(target, timings.collective, method);
    if (expressed.method != canonical) continue;
    if (expressed.reason.empty()) return method;
    if (!close) close = method;
  }
  return close.value_or(canonical);
}

namespace {

template <typename Choose>
RulePenalty penalty_of(const RuleSet& rules, const std::vector<Timings>& timings, Choose choose) {
  RulePenalty result;
  double sum = 0;
  for (const Timings& one : timings) {
    const CollectiveRules* own = rules.find(one.collective);
    if (own == nullptr) continue;
    const PenaltyPoints points =
        penalty_points(one, [&](const Instance& at) { return choose(one, *own, at); });
    for (const double value : points.values) sum += value;
    result.instances += points.values.size();
    result.without_time += points.cannot_run.size();
  }
  if (result.instances > 0) result.mean = sum / static_cast<double>(result.instances);
  return result;
}

}  // namespace

RulePenalty model_penalty(const RuleTree& tree, const RuleSet& rules,
                          const std::vector<Timings>& timings) {
  return penalty_of(
      rules, timings,
      [&](const Timings&, const CollectiveRules&, const Instance& at) { return decide(tree, at); });
}

RulePenalty plain_penalty(const RuleSet& rules, const std::vector<Timings>& timings) {
  return penalty_of(rules, timings,
                    [&](const Timings&, const CollectiveRules& own, const Instance& at) {
                      return decide(own, query_of(at));
                    });
}

RulePenalty rule_penalty(const RuleTarget& target, const RuleSet& rules,
                         const std::vector<Timings>& timings) {
  return penalty_of(rules, timings,
                    [&](const Timings& one, const CollectiveRules& own, const Instance& at) {
                      return name_in(target, one, decide(own, query_of(at)));
                    });
}

RulePenalty file_penalty(const RuleTarget& target, const RuleSet& keyed,
                         const std::vector<Timings>& timings) {
  return penalty_of(keyed, timings,
                    [&](const Timings& one, const CollectiveRules& own, const Instance& at) {
                      return name_in(target, one, decide(own, query_of(target, at)));
                    });
}

}  // namespace colltree
