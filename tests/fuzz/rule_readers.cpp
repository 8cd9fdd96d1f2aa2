// SPDX-License-Identifier: BSD-3-Clause
// Rules of MPI libraries, each format (rules). A file without errors, written again and read
// again, chooses the same methods.
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "reader.h"
#include "rules/check_rules.h"
#include "rules/rule_target.h"

namespace colltree::fuzz {
namespace {

void insert_ends(std::set<std::uint64_t>& values, const rules::Span& span,
                 const rules::Span& possible) {
  for (const std::uint64_t end : {span.least, span.most}) {
    for (const std::uint64_t value : {end - 1, end, end + 1}) {
      if (possible.holds(value)) values.insert(value);
    }
  }
}

bool has_errors(const rules::RuleFile& file) {
  for (const rules::Defect& defect : file.defects) {
    if (defect.severity == rules::Severity::kError) return true;
  }
  return false;
}

// Queries at the ends of the rules' intervals, at most a fixed number on each axis.
std::vector<rules::RuleQuery> telling_queries(const rules::RuleTarget& target,
                                              const rules::CollectiveRules& rules) {
  constexpr std::size_t kMost = 24;
  std::set<std::uint64_t> ranks = {2, 64}, bytes = {0, 1024}, per_node = {0, 1}, nodes = {0, 1};
  for (const rules::Rule& rule : rules.rules) {
    if (ranks.size() < kMost)
      insert_ends(ranks, rule.communicator_size, {1, target.most_communicator});
    if (bytes.size() < kMost) insert_ends(bytes, rule.message, {0, target.most_message});
    if (per_node.size() < 6) insert_ends(per_node, rule.ranks_per_node, {0, 1U << 20U});
    if (nodes.size() < 6) insert_ends(nodes, rule.nodes, {0, 1U << 20U});
  }
  std::vector<rules::RuleQuery> queries;
  for (const std::uint64_t p : ranks) {
    for (const std::uint64_t m : bytes) {
      for (const std::uint64_t r : per_node) {
        for (const std::uint64_t n : nodes) queries.push_back({{rules.collective, p, m, n, r}, 0});
      }
    }
  }
  return queries;
}

void require_same_choices(const rules::RuleTarget& target, const rules::RuleSet& one,
                          const rules::RuleSet& other, const std::string& text) {
  for (const rules::CollectiveRules& rules : one.collectives) {
    static const rules::CollectiveRules kNone;
    const rules::CollectiveRules* const found = other.find(rules.collective);
    for (const rules::RuleQuery& query : telling_queries(target, rules)) {
      const Method before = decide(rules, query);
      const Method after = decide(found == nullptr ? kNone : *found, query);
      require(
          before == after,
          fmt::format("rules written again choose the same: {} {} {} ranks, {} bytes, {} a node, "
                      "{} nodes: {} before, {} after\n{}",
                      target.name, name(rules.collective), query.call.communicator_size,
                      query.call.message_size, query.call.ranks_per_node, query.call.nodes,
                      before.label(), after.label(), text));
    }
  }
}

// As a model for the target can be: sections of ucc.conf can ask for the placement, which a string
// of UCC cannot, and Intel MPI's can ask for communicator sizes, but then for no message sizes.
void forget_conditions(const rules::RuleTarget& target, rules::RuleSet& rules) {
  const bool ucc = std::string_view(target.name).starts_with("ucc");
  const auto sized = [](const rules::Rule& rule) {
    return rule.communicator_size != rules::Span{};
  };
  for (rules::CollectiveRules& one : rules.collectives) {
    if (!target.has_communicator_size && std::ranges::any_of(one.rules, sized)) one.rules.clear();
    std::erase_if(one.rules, [&](const rules::Rule& rule) {
      const bool placed = rule.nodes != rules::Span{} || rule.ranks_per_node != rules::Span{};
      return !rule.conditions.empty() || (ucc && placed);
    });
  }
}

// Every call is left to the library.
bool says_nothing(const rules::RuleSet& rules) {
  for (const rules::CollectiveRules& one : rules.collectives) {
    for (const rules::Rule& rule : one.rules) {
      if (!is_library_default(rule.method)) return false;
    }
  }
  return true;
}

// Nothing where the format cannot hold them.
std::optional<std::string> written(const rules::RuleTarget& target, const rules::RuleSet& rules) {
  try {
    return target.write(rules, "fuzzed");
  } catch (const Error&) {
    return std::nullopt;
  }
}

void read_rules(const rules::RuleTarget& target, std::string_view input) {
  rules::RuleFile file = check_rules(target, input);
  forget_conditions(target, file.rules);
  for (const rules::Defect& defect : file.defects) {
    require(unfit_for_line(defect.text).empty(), "a defect is one line of text");
    if (defect.severity == rules::Severity::kError) return;
  }
  // MPICH's files have guards that no writer is given: they go where a site's file goes.
  const std::optional<std::string> made =
      target.merges ? target.merge({}, input) : written(target, file.rules);
  if (!made) return;
  const std::string& text = *made;
  const rules::RuleFile again = check_rules(target, text);
  if (has_errors(again) && says_nothing(file.rules)) return;
  for (const rules::Defect& defect : again.defects) {
    require(defect.severity != rules::Severity::kError,
            fmt::format("rules written again are without error: {}\n{}", defect.text, text));
  }
  require_same_choices(target, file.rules, again.rules, text);
}

}  // namespace

std::vector<Reader> rule_readers() {
  std::vector<Reader> readers;
  const auto targets = rules::rule_targets();
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const rules::RuleTarget& target = targets[i];
    const rules::RuleTarget& next = targets[std::min(i + 1, targets.size() - 1)];
    // Of UCC's versions, which are one reader, the last.
    const bool again = &next != &target && typeid(next) == typeid(target);
    if (again && !target.library && !target.neutral) continue;
    readers.push_back(
        {target.name, [&target](std::string_view input) { read_rules(target, input); }});
  }
  return readers;
}

}  // namespace colltree::fuzz
