// SPDX-License-Identifier: BSD-3-Clause
// The one form between a model and the rule files of MPI libraries: for each collective a list of
// rules, each an interval of communicator size, message key and ranks per node with the method for
// it. The first rule that applies decides; where none does, the library's own choice. Exporters
// write it, readers make it from files, look-up answers from it: written and read again it must
// answer the same (rules_property_test.cpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bounds.h"
#include "coll/library_algorithms.h"
#include "model/rule_tree.h"

namespace colltree::rules {

// An interval that holds both of its ends.
using Span = WholeRange;
// "2 to 8 ranks", "9 ranks and more".
std::string text(const Span& span, const char* unit);
inline bool covers(const Span& outer, const Span& inner) {
  return outer.least <= inner.least && inner.most <= outer.most;
}

struct Rule {
  Span communicator_size;
  Span message;  // bytes: message_size of the model's words, or the target's key (size_key.h)
  Span ranks_per_node;
  Span nodes;
  Method method;  // kDefaultAlgorithm: the library's own choice
  // Facts (AlgorithmNeed bits) that must hold and that must not: the guards of MPICH's files.
  std::uint32_t required = 0;
  std::uint32_t excluded = 0;
  std::size_t line = 0;  // of the file that it was read from
  // The further conditions that a file sets for a call, in words: "cuda memory", "registered
  // buffers". A model asks for nothing of the kind, so no writer is given any.
  std::vector<std::string> conditions = {};
  bool usual = true;  // an ordinary call meets the conditions: host memory, one call at a time

  bool operator==(const Rule&) const = default;
};

inline bool same_placement(const Rule& a, const Rule& b) {
  return a.ranks_per_node == b.ranks_per_node && a.nodes == b.nodes;
}

struct CollectiveRules {
  Collective collective = Collective::kBcast;
  std::vector<Rule> rules;

  bool operator==(const CollectiveRules&) const = default;
};

// True if every call is left to the library, which is also so without any rules.
bool leaves_all(const CollectiveRules& rules);

struct RuleSet {
  std::vector<CollectiveRules> collectives;

  const CollectiveRules* find(Collective collective) const;
  CollectiveRules& rules_for(Collective collective);  // added, empty, where there is none
};

// A call that a rule set is asked about, by the values that its intervals are compared with.
struct RuleQuery {
  Instance call;            // its message size in the unit of the rules
  std::uint32_t facts = 0;  // AlgorithmNeed bits that hold
};

// The facts of an ordinary call: a built-in commutative operation, no MPI_IN_PLACE, elements of one
// byte, blocks as equal as the message allows.
std::uint32_t usual_facts(const Instance& instance);
// Returns the query for rules in the model's words.
RuleQuery query_of(const Instance& instance);

// Finds the rule for an ordinary call (Rule::usual); nullptr means that no rule applies and the
// library decides.
const Rule* find_rule(const CollectiveRules& rules, const RuleQuery& query);
// The rules that hold for these sizes where a call is not ordinary, or where a placement that the
// query does not know is theirs.
std::vector<const Rule*> rules_of_other_calls(const CollectiveRules& rules, const RuleQuery& query);
Method decide(const CollectiveRules& rules, const RuleQuery& query);

// Rules that cannot be reached because earlier ones cover them (exact for disjoint and nested
// intervals; not for a rule covered by several together).
std::vector<const Rule*> unreachable_rules(const CollectiveRules& rules);

// The same decisions with neighbours of one method put together: along the message first, then
// equal rows of communicator sizes. Rules must be in rows (as rules_of makes them).
void merge_rules(CollectiveRules& rules);

// Cuts every row of communicator sizes behind `ranks`, so that rows stay rows.
void cut_rows(CollectiveRules& rules, std::uint64_t ranks);

// The placement that rules of a target can ask for.
enum class PlacementAxis : std::uint8_t {
  kNone,          // neither nodes nor ranks per node
  kRanksPerNode,  // intervals of ranks per node
  kDistribution   // one rank on each node, all on one node, or anything else
};

// Turns the tree into rules, in rows by communicator size. `ranks_per_node` is the placement for a
// target that cannot ask for it and gives the number of nodes; 0 means that it is not known, as
// in decide().
CollectiveRules rules_of(const model::RuleTree& tree, const model::RuleTree::Root& root,
                         std::uint64_t ranks_per_node);
// The same for every interval of ranks per node that the tree distinguishes.
CollectiveRules rules_by_placement(const model::RuleTree& tree, const model::RuleTree::Root& root);
// The same for one rank on each node, for a single node, and, last, for all else as with
// `ranks_per_node`; a part that says the same as the last is left out.
CollectiveRules rules_by_distribution(const model::RuleTree& tree,
                                      const model::RuleTree::Root& root,
                                      std::uint64_t ranks_per_node);
// The ranks per node that stand for each interval that the tree distinguishes; {0} when it does not
// look at the placement.
std::vector<std::uint64_t> placements_of(const model::RuleTree& tree,
                                         const model::RuleTree::Root& root);

// Rules by communicator size, as most formats nest them.
using RuleRow = std::vector<Rule>;  // of one communicator size interval and placement, ascending

inline std::vector<RuleRow> rows_of(const CollectiveRules& rules) {
  std::vector<RuleRow> rows;
  for (const Rule& rule : rules.rules) {
    const bool same = !rows.empty() && rows.back()[0].communicator_size == rule.communicator_size &&
                      same_placement(rows.back()[0], rule) &&
                      rows.back()[0].conditions == rule.conditions;
    if (!same) rows.emplace_back();
    rows.back().push_back(rule);
  }
  return rows;
}

}  // namespace colltree::rules
