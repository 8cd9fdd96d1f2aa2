// SPDX-License-Identifier: BSD-3-Clause
#include "cli/deployed_rules.h"

#include <fmt/core.h>

#include "base/error.h"
#include "emit/rules/check_rules.h"
#include "emit/rules/targets/openmpi_han.h"

namespace colltree {

void add_han_rules(CommandLine& line, std::string& file) {
  line.add("--han-rules", file, "Open MPI 5: rules of coll/han that are loaded beside them");
}

std::vector<DeployedRules> deployed_rules(std::string_view mpi, const std::string& rules,
                                          const std::string& han_rules) {
  std::vector<RulesFile> files{{&rule_target_of(mpi), rules}};
  if (!han_rules.empty()) {
    if (!mpi.starts_with("openmpi-") || mpi.starts_with("openmpi-4"))
      throw UsageError(fmt::format("--han-rules: {} does not ask coll/han", mpi));
    files.push_back({&find_rule_target(kHanTarget), han_rules});
  }
  std::vector<DeployedRules> deployed;
  for (const RulesFile& file : files)
    deployed.push_back({file, require_readable(*file.target, file.name).rules});
  return deployed;
}

RulesArm arm_of(const std::vector<DeployedRules>& deployed) {
  RulesArm arm;
  for (const DeployedRules& one : deployed) arm[0].push_back(one.file);
  return arm;
}

}  // namespace colltree
