// SPDX-License-Identifier: BSD-3-Clause
// For tests: what MPICH does without a selection file, asked row by row of mpich_stock.def.
#pragma once

#include "base/text.h"
#include "emit/rules/mpich_conditions.h"
#include "emit/rules/mpich_methods.h"
#include "emit/rules/mpich_stock.h"

namespace colltree::testing {

inline constexpr const char* kMpichTargets[] = {"mpich-4.0", "mpich-4.1", "mpich-4.2"};

inline bool holds(const MpichTest& test, const Instance& at, std::uint32_t facts) {
  if (test.value == "any") return true;
  if (test.value == "node_comm_size") return at.nodes == 1;
  if (test.key == "comm_type") return test.value == "intra";
  if (const std::uint32_t need = facts_of(test).need)
    return ((facts & need) != 0) == facts_of(test).met;
  const std::uint64_t value = test.key == "comm_size"
                                  ? at.communicator_size
                                  : message_key(*mpich_size_key(at.collective), at);
  const std::uint64_t bound = parse_number<std::uint64_t>(test.value).value();
  return test.comparison == "<" ? value < bound : value <= bound;
}

// The first row whose conditions all hold.
inline const MpichStock* mpich_own_row(MpichLayer layer, const Instance& at, std::uint32_t facts) {
  for (const MpichStock& row : mpich_stock(layer)) {
    if (row.collective != name(at.collective)) continue;
    bool all = true;
    for (const std::string_view condition : split(row.conditions, ' '))
      all = all && (condition.empty() || holds(split_test(condition), at, facts));
    if (all) return &row;
  }
  return nullptr;
}

inline Method mpich_own_choice(const RuleTarget& target, const Instance& at, std::uint32_t facts) {
  const MpichStock* row = mpich_own_row(MpichLayer::kSelection, at, facts);
  const LibraryAlgorithm* found =
      mpich_algorithm(target, at.collective, "MPIR_" + std::string(row->algorithm));
  return {std::string(found->algorithm), 0};
}

}  // namespace colltree::testing
