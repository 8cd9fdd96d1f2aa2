// SPDX-License-Identifier: BSD-3-Clause
// Model -> rules that a target can hold and that are safe there. Each step that loses something
// says so and, with timings, what it costs in performance penalty:
//   placement -> collectives -> methods -> safety -> sizes -> keys.
#pragma once

#include <string>
#include <vector>

#include "rules/rule_penalty.h"

namespace colltree::rules {

struct AdaptOptions {
  bool allow_unsafe = false;
  // When one rule replaces several, of which some keep the library's own choice, the best method is
  // taken for all of them, although it can be slower there; otherwise the library's own choice is.
  bool replace_default = false;
  std::uint64_t ranks_per_node = 0;  // the placement to take where the target has none; 0 = best or
                                     // largest
  const std::vector<Timings>* timings = nullptr;  // for costs and for the choice of replacements
};

struct Adapted {
  RuleSet rules;                   // in the model's words: message is message_size
  RuleSet keyed;                   // in the target's keys: what is written
  std::vector<std::string> notes;  // one line each, for the user
};

Adapted adapt_rules(const model::RuleTree& tree, const RuleTarget& target,
                    const AdaptOptions& options);

}  // namespace colltree::rules
