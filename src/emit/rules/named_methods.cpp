// SPDX-License-Identifier: BSD-3-Clause
#include "emit/rules/named_methods.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace colltree {

namespace {

bool means(const NamedMethod& row, std::string_view wanted) {
  if (lower(row.theirs) == wanted) return true;  // SMPI has scatter_LR_allgather
  // "ring" is ring/simple
  if (row.theirs.ends_with("/simple") && row.theirs.substr(0, row.theirs.find('/')) == wanted) {
    return true;
  }
  const std::vector<std::string_view> ours = split(row.ours, ' ');
  return std::ranges::count(ours, wanted) > 0;
}

}  // namespace

bool has_names(std::span<const NamedMethod> names, Collective collective) {
  return std::ranges::count(names, collective, &NamedMethod::collective) > 0;
}

std::vector<std::string> target_names(const RuleTarget& target, Collective collective) {
  std::vector<std::string> names;
  for (const NamedMethod& row : target.names) {
    if (row.collective == collective) names.emplace_back(row.theirs);
  }
  return names;
}

Expressed express_named(const RuleTarget& target, Collective collective, const Method& method) {
  if (is_library_default(method)) return {library_default(), ""};
  check_parameters(method);
  std::string wanted = lower(without_source(method.algorithm));
  std::ranges::replace(wanted, '-', '_');
  for (const NamedMethod& row : target.names) {
    if (row.collective != collective || !means(row, wanted)) continue;
    std::string reason;
    if (method.segment_size.value_or(0) != 0) {
      reason = fmt::format("{} {}: rules of {} cannot set a segment size", name(collective),
                           row.theirs, target.name);
    }
    return {Method{std::string(row.theirs), 0}, reason};
  }
  return {std::nullopt,
          fmt::format("{} has no {} '{}'", target.name, name(collective), method.name())};
}

RuleTarget any_method_target(const char* name, const char* summary,
                             decltype(RuleTarget::write) write, decltype(RuleTarget::read) read) {
  return {.name = name,
          .summary = summary,
          .versions = {"", "", "", ""},
          .placement = PlacementAxis::kRanksPerNode,
          .most_message = UINT64_MAX,
          .most_communicator = UINT64_MAX,
          .size_key = [](Collective) { return std::optional(SizeKey::kMessage); },
          .express =
              [](const RuleTarget&, Collective, const Method& method) {
                return Expressed{method, ""};
              },
          .write = write,
          .read = read,
          .neutral = true};
}

}  // namespace colltree
