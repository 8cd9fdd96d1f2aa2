// SPDX-License-Identifier: BSD-3-Clause
// The stages from a tree to a rule set, each its own file.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/c45/options.h"
#include "model/c45/pessimistic.h"
#include "model/c45/random.h"
#include "model/c45/rules/rule.h"

namespace colltree::c45 {

// How a subset of more than 10 rules is sought; of fewer all are tried.
enum class SubsetMethod : std::uint8_t {
  kHillClimbing,  // from 11 random subsets, as release 8
  kAnnealing,     // -a; the cooling is our own, no recorded run shows release 8's
};

struct RuleOptions {
  float confidence_percent = 25;        // -c
  std::optional<float> fisher_percent;  // -F: also drop conditions less significant than this
  float redundancy = 1;                 // -r: a larger one makes conditions cheap to describe
  SubsetMethod subset = SubsetMethod::kHillClimbing;
  bool strict_r8 = false;  // keep the defect of add_rule
};

// One rule for each leaf that cases reach, in the order of the branches. `tree_number` keeps the
// grouped tests of several trees apart.
std::vector<Rule> path_rules(const Tree& tree, std::size_t tree_number);

// Drops conditions greedily while the pessimistic error rate does not rise, over all cases; sets
// the error rate and sorts the conditions. False when nothing worth keeping is left.
// O(cases x conditions) for each condition dropped.
class RulePruner {
 public:
  RulePruner(const Schema& schema, const Cases& cases, const RuleOptions& options);
  bool prune(Rule& rule) const;

 private:
  const Cases& cases_;
  Pessimistic pessimistic_;
  std::optional<float> fisher_percent_;
  std::vector<float> default_error_;  // by class
};

// Adds a rule with the next number, unless the same one is there: then only the larger error is
// kept. Release 8 compares cuts but not directions; `strict_r8` keeps that defect.
void add_rule(std::vector<Rule>& rules, Rule rule, bool strict_r8);

// Code lengths in bits.
class CodeLengths {
 public:
  CodeLengths(const Schema& schema, const Cases& cases, float redundancy);
  float of(const Rule& rule) const;

 private:
  float attribute_bits_ = 0;
  std::vector<float> branch_bits_;   // by attribute
  std::vector<std::size_t> values_;  // by attribute
};

// What a rule covers, for all rules at once: bit i of [rule] is case i.
using Coverage = std::vector<std::vector<bool>>;
Coverage coverage_of(std::span<const Rule> rules, const Cases& cases);

// For one class, which of its rules (indices) describe the cases in the fewest bits.
std::vector<std::size_t> best_subset(const std::vector<std::size_t>& candidates,
                                     std::span<const Rule> rules, const Coverage& coverage,
                                     const Cases& cases, std::uint32_t label, SubsetMethod method,
                                     Random& random);
// The length of the description that best_subset makes short: the rules and their exceptions.
float description_bits(const std::vector<std::size_t>& subset, std::span<const Rule> rules,
                       const Coverage& coverage, const Cases& cases, std::uint32_t label);

// Puts the selected rules in order and picks the default class.
RuleSet order_rules(const std::vector<std::vector<std::size_t>>& selected,
                    std::span<const Rule> rules, const Coverage& coverage, const Cases& cases,
                    std::size_t classes);

struct RuleUse {
  std::uint32_t used = 0;    // cases it decides
  std::uint32_t wrong = 0;   // of these
  std::uint32_t better = 0;  // right, where the next rule that fires would not be
  std::uint32_t worse = 0;   // wrong, where that one would be right
};
struct RuleEvaluation {
  std::vector<RuleUse> rules;
  std::size_t errors = 0;
  std::vector<std::uint32_t> answers;  // by case
};
RuleEvaluation evaluate_rules(const RuleSet& set, const Cases& cases);
// The first rule that does more harm than good.
std::optional<std::size_t> harmful_rule(const RuleEvaluation& evaluation);
// Drops such rules, one at a time, evaluating again after each.
RuleEvaluation drop_harmful_rules(RuleSet& set, const Cases& cases);

struct RulesOfTrees {
  std::vector<RuleSet> sets;  // one for each tree; before harmful rules are dropped
  RuleSet final_set;          // of one tree the same; of several trees the composite set
};

RulesOfTrees make_rules(const std::vector<const Tree*>& trees, const Schema& schema,
                        const Cases& cases, const RuleOptions& options);

// As c4.5rules prints: each set, then the evaluation on training and test cases (`test` may be
// null), in which harmful rules are dropped.
std::string rules_report(RulesOfTrees rules, const Schema& schema, const Cases& cases,
                         const Cases* test);
std::string rules_text(const RuleSet& set, const Schema& schema);
std::string rule_text(const Rule& rule, const Schema& schema);
// Same classes and signature as tree_c.
std::string rules_c(const RuleSet& set, const Schema& schema, std::string_view function);

}  // namespace colltree::c45
