// SPDX-License-Identifier: BSD-3-Clause
#include "rules/targets.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"

namespace colltree::rules {

namespace {

bool means(const NamedMethod& row, std::string_view wanted) {
  if (lower(row.theirs) == wanted) return true;  // SMPI has scatter_LR_allgather
  // "ring" is ring/simple
  if (row.theirs.ends_with("/simple") && row.theirs.substr(0, row.theirs.find('/')) == wanted) {
    return true;
  }
  return std::ranges::count(split(row.ours, ' '), wanted) > 0;
}

std::uint64_t radix_of(const NamedMethod& row, std::string_view wanted, const Method& method) {
  if (row.radix == 0) return 0;
  if (method.parameters.radix != 0) return method.parameters.radix;
  return lower(row.theirs) == wanted ? 0 : row.radix;
}

}  // namespace

std::string not_set(const RuleTarget& target, const std::string& what, const Method& method,
                    bool takes_radix) {
  if (method.segment_size.value_or(0) != 0)
    return fmt::format("{}: rules of {} cannot set a segment size", what, target.name);
  if (method.parameters.radix != 0 && !takes_radix)
    return fmt::format("{}: rules of {} cannot set a radix", what, target.name);
  return "";
}

std::optional<SizeKey> NamedTarget::size_key(Collective collective) const {
  if (std::ranges::count(names, collective, &NamedMethod::collective) == 0) return std::nullopt;
  return key_of(collective);
}

std::vector<std::string> target_names(const RuleTarget& target, Collective collective) {
  std::vector<std::string> names;
  for (const NamedMethod& row : target.names) {
    if (row.collective == collective && row.since <= target.version) names.emplace_back(row.theirs);
  }
  return names;
}

Expressed NamedTarget::express(Collective collective, const Method& method) const {
  if (is_library_default(method)) return {library_default(), ""};
  check_parameters(method);
  std::string wanted = lower(without_source(method.algorithm));
  std::ranges::replace(wanted, '-', '_');
  for (const NamedMethod& row : names) {
    if (row.collective != collective || row.since > version || !means(row, wanted)) continue;
    const std::string name_of_it = fmt::format("{} {}", colltree::name(collective), row.theirs);
    if (row.written_since > version)
      return {std::nullopt, fmt::format("{}: {}", name_of_it, row.remark)};
    // The part of the method that the target cannot express, or how its own algorithm differs.
    std::string lost = not_set(*this, name_of_it, method, row.radix != 0);
    if (lost.empty() && !row.remark.empty()) lost = fmt::format("{}: {}", name_of_it, row.remark);
    return {Method{std::string(row.theirs), 0, {.radix = radix_of(row, wanted, method)}},
            std::move(lost)};
  }
  return {std::nullopt,
          fmt::format("{} has no {} '{}'", name, colltree::name(collective), method.name())};
}

AnyMethodTarget::AnyMethodTarget(TargetFacts facts)
    : RuleTarget((facts.placement = PlacementAxis::kRanksPerNode, facts.most_message = UINT64_MAX,
                  facts.most_communicator = UINT64_MAX, facts.neutral = true, facts)) {}

}  // namespace colltree::rules
