// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/live_probes.h"

#include <algorithm>
#include <map>

#include "rules/rule_set.h"

namespace colltree::deploy {

namespace {

// Rules of MPICH can be for calls that a witness does not make: in place, or over several nodes.
bool is_for_witness(const rules::Rule& rule) {
  return (rule.required & (kInPlace | kHierarchy | kConsecutiveNodes)) == 0;
}

// The row that decides for this number of ranks. In a chain of "up to N ranks" every later row
// holds it too, so the first one counts.
std::uint64_t row_of(const rules::CollectiveRules& collective_rules, std::uint64_t ranks) {
  std::uint64_t most = UINT64_MAX;
  for (const rules::Rule& rule : collective_rules.rules) {
    if (is_for_witness(rule) && rule.communicator_size.holds(ranks))
      most = std::min(most, rule.communicator_size.most);
  }
  return most;
}

// Adds where the interval begins and where its successor does. In a chain of "up to N" every
// interval begins at 0, and only the successor tells.
void add_ends(const rules::Span& span, std::set<std::uint64_t>& begins) {
  begins.insert(span.least);
  if (span.most != UINT64_MAX) begins.insert(span.most + 1);
}

}  // namespace

std::vector<std::uint64_t> around(rules::SizeKey key, std::uint64_t least, std::uint64_t ranks) {
  if (least == 0 || key == rules::SizeKey::kNone) return {};
  const std::uint64_t first = key == rules::SizeKey::kMessage ? least : (least - 1) / ranks + 1;
  return {first - 1, first};
}

std::set<std::uint64_t> message_begins(const rules::CollectiveRules& collective_rules,
                                       std::uint64_t ranks) {
  const std::uint64_t most = row_of(collective_rules, ranks);
  std::set<std::uint64_t> begins;
  for (const rules::Rule& rule : collective_rules.rules) {
    if (is_for_witness(rule) && rule.communicator_size.holds(ranks) &&
        rule.communicator_size.most == most)
      add_ends(rule.message, begins);
  }
  return begins;
}

bool switches_between(const rules::CollectiveRules& collective_rules, std::uint64_t fewer,
                      std::uint64_t more) {
  std::set<std::uint64_t> begins;
  for (const rules::Rule& rule : collective_rules.rules) {
    if (is_for_witness(rule)) add_ends(rule.communicator_size, begins);
  }
  return begins.upper_bound(fewer) != begins.upper_bound(more);
}

std::vector<rules::Rule> marked_rules(const rules::CollectiveRules& collective_rules,
                                      const std::vector<Method>& markers,
                                      const std::vector<std::uint64_t>& communicator_sizes) {
  std::map<std::uint64_t, std::set<std::uint64_t>> rows;  // by the largest communicator size
  for (const rules::Rule& rule : collective_rules.rules) {
    // A row's guarded rules may stand apart from the others.
    if (is_for_witness(rule)) add_ends(rule.message, rows[rule.communicator_size.most]);
  }
  std::set<std::uint64_t> asked;
  for (const std::uint64_t ranks : communicator_sizes)
    asked.insert(row_of(collective_rules, ranks));
  std::vector<rules::Rule> rules;
  std::uint64_t least = 0;
  std::size_t first = 0;
  for (const auto& [most, begins] : rows) {
    std::size_t place = first;
    for (auto begin = begins.begin(); begin != begins.end(); ++begin) {
      const auto next = std::next(begin);
      rules.push_back({.communicator_size = {least, most},
                       .message = {*begin, next == begins.end() ? UINT64_MAX : *next - 1},
                       .method = markers[place++ % markers.size()]});
    }
    least = most + 1;
    // Two rows that calls meet one after the other begin differently, whatever lies between them.
    if (asked.contains(most)) ++first;
  }
  return rules;
}

}  // namespace colltree::deploy
