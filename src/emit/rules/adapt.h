// SPDX-License-Identifier: BSD-3-Clause
// Model -> rules that a target can hold and that are safe there. Each step that loses something
// says so and, with timings, what it costs in performance penalty:
//   placement -> collectives -> methods -> safety -> sizes -> keys.
#pragma once

#include <string>
#include <vector>

#include "emit/rules/rule_penalty.h"

namespace colltree {

struct AdaptOptions {
  bool allow_unsafe = false;
  std::uint64_t ranks_per_node = 0;  // the placement to take where the target has none; 0 = best or
                                     // largest
  const std::vector<Timings>* timings = nullptr;  // for costs and for the choice of replacements
};

struct Adapted {
  RuleSet rules;                   // in the model's words: message is message_size
  RuleSet keyed;                   // in the target's keys: what is written
  std::vector<std::string> notes;  // one line each, for the user
};

Adapted adapt_rules(const RuleTree& tree, const RuleTarget& target, const AdaptOptions& options);

// The rules in the target's keys. Where the key grows with the communicator size (m x p), an
// interval of communicator sizes is cut so that each threshold is exact at the measured
// communicator sizes, at kExactRows others of each collective and up to 64 ranks; within 6 %
// beyond.
inline constexpr std::size_t kExactRows = 512;
RuleSet keyed_rules(const RuleTarget& target, const RuleSet& rules,
                    const std::vector<Timings>* timings, std::vector<std::string>& notes);

}  // namespace colltree
