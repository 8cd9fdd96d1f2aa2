// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/live_probes.h"

#include <algorithm>
#include <map>

#include "emit/rules/rule_set.h"

namespace colltree {

std::vector<std::uint64_t> around(SizeKey key, std::uint64_t least, std::uint64_t ranks) {
  if (least == 0 || key == SizeKey::kNone) return {};
  const std::uint64_t at = key == SizeKey::kMessage ? least : (least - 1) / ranks + 1;
  return {at - 1, at};
}

void add_ends(const Span& span, std::set<std::uint64_t>& begins) {
  begins.insert(span.least);
  if (span.most != UINT64_MAX) begins.insert(span.most + 1);
}

// In a chain of "up to N ranks" all later rows hold the communicator size too; the first one
// counts.
std::set<std::uint64_t> message_begins(const CollectiveRules& one, std::uint64_t ranks) {
  std::uint64_t most = UINT64_MAX;
  for (const Rule& rule : one.rules) {
    if (rule.communicator_size.contains(ranks)) most = std::min(most, rule.communicator_size.most);
  }
  std::set<std::uint64_t> begins;
  for (const Rule& rule : one.rules) {
    if (rule.communicator_size.contains(ranks) && rule.communicator_size.most == most)
      add_ends(rule.message, begins);
  }
  return begins;
}

std::vector<Rule> marked_rules(const CollectiveRules& one, const std::vector<Method>& markers) {
  std::vector<Rule> rules;
  std::size_t row_number = 0;
  // By the largest communicator size: guarded rules of one row may stand apart from it.
  std::map<std::uint64_t, std::set<std::uint64_t>> rows;
  for (const Rule& rule : one.rules) {
    // MPICH: for calls that are not made here.
    if ((rule.required & (kInPlace | kHierarchy | kConsecutiveNodes)) == 0)
      add_ends(rule.message, rows[rule.communicator_size.most]);
  }
  std::uint64_t least = 0;
  for (const auto& [most, begins] : rows) {
    std::size_t place = row_number++;
    for (auto begin = begins.begin(); begin != begins.end(); ++begin) {
      const auto next = std::next(begin);
      rules.push_back({.communicator_size = {least, most},
                       .message = {*begin, next == begins.end() ? UINT64_MAX : *next - 1},
                       .method = markers[place++ % markers.size()]});
    }
    least = most + 1;
  }
  return rules;
}

}  // namespace colltree
