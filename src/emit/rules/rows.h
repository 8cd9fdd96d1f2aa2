// SPDX-License-Identifier: BSD-3-Clause
// Rules by communicator size: what most formats nest.
#pragma once

#include "emit/rules/rule_set.h"

namespace colltree {

using RuleRow = std::vector<Rule>;  // of one communicator size interval and placement, ascending

inline std::vector<RuleRow> rows_of(const CollectiveRules& rules) {
  std::vector<RuleRow> rows;
  for (const Rule& rule : rules.rules) {
    const bool same = !rows.empty() && rows.back()[0].communicator_size == rule.communicator_size &&
                      rows.back()[0].ranks_per_node == rule.ranks_per_node;
    if (!same) rows.emplace_back();
    rows.back().push_back(rule);
  }
  return rows;
}

}  // namespace colltree
