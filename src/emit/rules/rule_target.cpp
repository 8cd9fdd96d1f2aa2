// SPDX-License-Identifier: BSD-3-Clause
#include "emit/rules/rule_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>

#include "base/error.h"
#include "base/text.h"
#include "emit/rules/formats.h"
#include "emit/rules/openmpi_methods.h"

namespace colltree {

namespace {

constexpr RuleTarget kTargets[] = {
    {"openmpi-4.1", "rules file of Open MPI 4.1 and 5.0 to 5.0.6", Library::kOpenmpi, 41,
     PlacementAxis::kNone, true, INT64_MAX, INT_MAX, openmpi_size_key, express_openmpi,
     write_openmpi_text, read_openmpi_text},
    {"openmpi-5.0.7", "rules file, version 2, of Open MPI 5.0.7 and later 5.0 (also 4.1.8)",
     Library::kOpenmpi, 50, PlacementAxis::kNone, true, INT64_MAX, INT_MAX, openmpi_size_key,
     express_openmpi, write_openmpi_text, read_openmpi_text},
};

}  // namespace

std::span<const RuleTarget> rule_targets() { return kTargets; }

const RuleTarget& find_rule_target(std::string_view name) {
  const auto* found = std::ranges::find_if(
      kTargets, [&](const RuleTarget& one) { return std::string_view(one.name) == name; });
  if (found != std::end(kTargets)) return *found;
  std::vector<std::string> names;
  for (const RuleTarget& one : kTargets) names.emplace_back(one.name);
  const std::string hint = did_you_mean(name, names);
  throw UsageError(
      fmt::format("unknown format of rules '{}'{}", name,
                  hint.empty() ? fmt::format("; known are {}", fmt::join(names, ", ")) : hint));
}

std::uint64_t message_key(SizeKey key, const Instance& at) {
  if (key == SizeKey::kNone) return 0;
  if (key == SizeKey::kMessage) return at.message_size;
  std::uint64_t product = 0;
  const bool over = __builtin_mul_overflow(at.message_size, at.communicator_size, &product);
  return over ? UINT64_MAX : product;
}

std::string_view name(Severity severity) {
  static constexpr std::string_view kNames[] = {"error", "unsafe", "warning"};
  return kNames[static_cast<std::size_t>(severity)];
}

RuleQuery query_of(const RuleTarget& target, const Instance& at) {
  RuleQuery query = query_of(at);
  const auto key = target.size_key(at.collective);
  query.message = key ? message_key(*key, at) : 0;
  return query;
}

const Rule* find_rule(const RuleTarget& target, const RuleSet& rules, const Instance& at) {
  const CollectiveRules* own = rules.find(at.collective);
  return own == nullptr ? nullptr : find_rule(*own, query_of(target, at));
}

Method decide(const RuleTarget& target, const RuleSet& rules, const Instance& at) {
  const Rule* rule = find_rule(target, rules, at);
  return rule == nullptr ? library_default() : rule->method;
}

}  // namespace colltree
