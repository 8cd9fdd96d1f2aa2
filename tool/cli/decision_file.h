// SPDX-License-Identifier: BSD-3-Clause
// Any file that decides, as the commands take it: a model (M.json), a compact decision file (F.cdt)
// through the same C functions that programs use, or rules of a library.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "coll/method.h"
#include "colltree/decision.h"
#include "rules/rule_target.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI
namespace colltree::cli {

struct Decisions {
  std::function<bool(Collective)> decides;
  std::function<Method(const Instance&)> decide;  // throws Error where it does not
  std::string owner;    // whose algorithms the methods are where they are not ours; "" = ours
  bool chooses = true;  // false: every call is left to the library
};

// A tuning of a library's own algorithms writes rules and no file for `colltree run`. Throws an
// Error that names these rules if `path` does not exist and they lie beside it.
void require_no_rules_instead(const std::string& path);

std::string owner_of_methods(const colltree_decision& decision);
// Throws Error for the methods of another owner: colltree's algorithms have no more than their
// names.
void require_our_methods(const std::string& path, const std::string& owner);

// True for a compact decision file, which is recognised by its first bytes, whatever its name is. A
// pipe can be read only once, so its content is taken for a model.
bool is_compact(const std::string& path);

// Throws Error.
Decisions load_decisions(const std::string& path);

// The option --rules of commands that run jobs under rules: one file, or the rules of coll/han
// behind it.
CLI::Option* add_rules_option(CLI::App& app, std::vector<std::string>& files);

struct DeployedRules {
  rules::RulesFile file;
  rules::RuleSet rules;
};

// `mpi`: the library and its version, "openmpi-5.0.8". The file of coll/han may be "". Throws
// UsageError where the library has no such rules, Error when a file is not right for it.
std::vector<DeployedRules> deployed_rules(std::string_view mpi,
                                          const std::vector<std::string>& rules);
// The files that are loaded together, for all placements (RulesArm in deploy/side_by_side.h).
std::map<std::uint64_t, std::vector<rules::RulesFile>> arm_of(
    const std::vector<DeployedRules>& deployed);

}  // namespace colltree::cli
