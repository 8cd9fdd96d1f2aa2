// SPDX-License-Identifier: BSD-3-Clause
// Writes rules as Open MPI 4.1 and 5.0 read them (docs/formats/openmpi-rules.md):
//   N_COLLECTIVES { ID N_SIZES { RANKS N_RULES { BYTES ALGORITHM FANOUT SEGMENT [REQUESTS] } } }
#include <fmt/format.h>

#include <algorithm>

#include "emit/rules/formats.h"
#include "emit/rules/openmpi_methods.h"
#include "emit/rules/rows.h"

namespace colltree {

namespace {

const char* key_text(Collective collective) {
  switch (*openmpi_size_key(collective)) {
    case SizeKey::kMessage:
      return collective == Collective::kAllgatherv      ? "mean bytes per rank"
             : collective == Collective::kReduceScatter ? "bytes of all blocks"
                                                        : "bytes of the message";
    case SizeKey::kTimesRanks:
      return "bytes of one block x ranks";
    case SizeKey::kNone:
      return "sizes are not looked at";
  }
  return "";
}

std::string rule_line(const RuleTarget& target, Collective collective, const Rule& rule) {
  const OpenmpiColumns columns = openmpi_columns(collective, rule.method);
  std::string line = fmt::format("{} {} {} {}", rule.message.least, columns.algorithm,
                                 columns.fanout, columns.segment_size);
  if (target.version >= 50) line += fmt::format(" {}", columns.requests);
  return fmt::format("{:<24} # {}\n", line,
                     columns.algorithm == 0 ? "as without rules" : rule.method.label());
}

std::string collective_text(const RuleTarget& target, const CollectiveRules& rules) {
  const std::vector<RuleRow> rows = rows_of(rules);
  std::string text = fmt::format("\n{} # {}: {}\n{} # communicator sizes\n",
                                 *openmpi_collective_id(rules.collective), name(rules.collective),
                                 key_text(rules.collective), rows.size());
  for (const RuleRow& row : rows) {
    // The first row also holds for all smaller communicators.
    text += fmt::format("{} # ranks and more\n{} # rules\n",
                        std::max<std::uint64_t>(row[0].communicator_size.least, 1), row.size());
    for (const Rule& rule : row) text += rule_line(target, rules.collective, rule);
  }
  return text;
}

}  // namespace

std::string write_openmpi_text(const RuleTarget& target, const RuleSet& rules,
                               const std::string& comment) {
  std::vector<CollectiveRules> ordered = rules.collectives;
  std::ranges::sort(ordered, {}, [](const CollectiveRules& one) {
    return *openmpi_collective_id(one.collective);
  });
  std::string text;
  if (target.version >= 50) text += "rule-file-version-2\n";
  text +=
      fmt::format("# {}\n# For {}; columns: bytes algorithm fan-out segment{}\n{} # collectives\n",
                  comment, target.name, target.version >= 50 ? " requests" : "", ordered.size());
  for (const CollectiveRules& one : ordered) text += collective_text(target, one);
  return text;
}

}  // namespace colltree
