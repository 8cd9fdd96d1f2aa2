// SPDX-License-Identifier: BSD-3-Clause
#include "emit/rules/named_methods.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace colltree {

namespace {

struct NamedMethod {
  std::string_view target;
  std::string_view collective;
  std::string_view ours;
  std::string_view theirs;
};
constexpr NamedMethod kNamedMethods[] = {
#define COLLTREE_TARGET_NAME(target, collective, ours, theirs) {#target, #collective, ours, theirs},
#include "emit/rules/target_names.def"
#undef COLLTREE_TARGET_NAME
};

bool has_rows(std::string_view target, Collective collective) {
  return std::ranges::any_of(kNamedMethods, [&](const NamedMethod& row) {
    return row.target == target && row.collective == name(collective);
  });
}

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

std::string_view table_of(const RuleTarget& target) {
  const std::string_view all = target.name;
  return all.substr(0, all.find('-'));
}

std::vector<std::string> target_names(std::string_view table, Collective collective) {
  std::vector<std::string> names;
  for (const NamedMethod& row : kNamedMethods) {
    if (row.target == table && row.collective == name(collective)) names.emplace_back(row.theirs);
  }
  return names;
}

Expressed express_named(const RuleTarget& target, Collective collective, const Method& method) {
  if (is_library_default(method)) return {library_default(), ""};
  check_parameters(method);
  std::string wanted = lower(without_source(method.algorithm));
  std::ranges::replace(wanted, '-', '_');
  for (const NamedMethod& row : kNamedMethods) {
    if (row.target != table_of(target) || row.collective != name(collective) ||
        !means(row, wanted)) {
      continue;
    }
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

std::optional<SizeKey> ucc_size_key(Collective collective) {
  if (!has_rows("ucc", collective)) return std::nullopt;
  switch (collective) {
    case Collective::kBcast:
    case Collective::kReduce:
    case Collective::kAllreduce:
    case Collective::kReduceScatter:
      return SizeKey::kMessage;
    default:
      return SizeKey::kTimesRanks;
  }
}

std::optional<SizeKey> nccl_size_key(Collective collective) {
  if (!has_rows("nccl", collective)) return std::nullopt;
  return collective == Collective::kAllgather ? SizeKey::kTimesRanks : SizeKey::kMessage;
}

// The manual says "message size" and no more: taken as the count times the type.
std::optional<SizeKey> intel_size_key(Collective collective) {
  if (!has_rows("intel", collective)) return std::nullopt;
  return collective == Collective::kBarrier ? SizeKey::kNone : SizeKey::kMessage;
}

std::optional<SizeKey> oneccl_size_key(Collective collective) {
  if (!has_rows("oneccl", collective)) return std::nullopt;
  return collective == Collective::kBarrier ? SizeKey::kNone : SizeKey::kMessage;
}

std::optional<SizeKey> smpi_size_key(Collective collective) {
  if (!has_rows("smpi", collective)) return std::nullopt;
  return SizeKey::kNone;
}

std::optional<SizeKey> any_size_key(Collective) { return SizeKey::kMessage; }

Expressed express_any(const RuleTarget&, Collective, const Method& method) { return {method, ""}; }

}  // namespace colltree
