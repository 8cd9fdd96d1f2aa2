// SPDX-License-Identifier: BSD-3-Clause
// The options --rules and --han-rules of commands that run jobs under rules.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "deploy/side_by_side.h"

namespace colltree {

void add_han_rules(CommandLine& line, std::string& file);

struct DeployedRules {
  RulesFile file;
  RuleSet rules;
};

// Of the library "openmpi-5.0.8"; coll/han's file may be "". Throws UsageError where the library
// has no such rules, Error when a file is not right for it.
std::vector<DeployedRules> deployed_rules(std::string_view mpi, const std::string& rules,
                                          const std::string& han_rules);
// As what is loaded together, for all placements.
RulesArm arm_of(const std::vector<DeployedRules>& deployed);

}  // namespace colltree
