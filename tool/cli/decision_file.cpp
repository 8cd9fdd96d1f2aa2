// SPDX-License-Identifier: BSD-3-Clause
#include "cli/decision_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>

#include "base/error.h"
#include "base/input.h"
#include "cli/command.h"
#include "decision/cdt_format.h"
#include "deploy/side_by_side.h"
#include "model/model.h"
#include "rules/check_rules.h"
#include "rules/openmpi/openmpi_han.h"

namespace colltree::cli {

namespace fs = std::filesystem;

namespace {

// The result is negative where the file does not decide for this collective.
int index_at(const colltree_decision& decision, const Instance& instance) {
  const colltree_instance c_instance = {instance.communicator_size, instance.message_size,
                                        instance.nodes, instance.ranks_per_node};
  const int collective =
      colltree_decision_collective(std::string(name(instance.collective)).c_str());
  return colltree_decide(&decision, collective, &c_instance);
}

Decisions load_compact(const std::string& path) {
  char error[512];
  const std::shared_ptr<colltree_decision> decision(
      colltree_decision_load(path.c_str(), error, sizeof error), colltree_decision_free);
  if (!decision) throw Error(error);
  const auto decide = [decision, path](const Instance& instance) {
    const int index = index_at(*decision, instance);
    if (index < 0)
      throw Error(fmt::format("{}: does not decide for {}", path, name(instance.collective)));
    const colltree_chosen_method method = colltree_decision_method(decision.get(), index);
    if (method.has_segment_size == 0) return parse_method_name(method.algorithm);
    return parse_method_name(method.algorithm, method.segment_size);
  };
  bool chooses = false;
  for (std::size_t i = 0; i < colltree_decision_methods(decision.get()); ++i)
    chooses |= colltree_decision_method(decision.get(), static_cast<int>(i)).algorithm !=
               std::string_view(kDefaultAlgorithm);
  return {[decision](Collective collective) {
            return index_at(*decision, {collective, 1, 0}) >= 0;
          },
          decide, owner_of_methods(*decision), chooses};
}

std::string owner_of_model(const model::Model& model) {
  const std::string& owner = model.origin.algorithms;
  return owner == cdt::kPortable || std::ranges::all_of(model.rules.methods, is_library_default)
             ? ""
             : owner;
}

}  // namespace

bool is_compact(const std::string& path) {
  constexpr std::string_view kMagic =
      "\x89"
      "CDT\r\n\x1a\n";
  return path.ends_with(".cdt") || first_bytes(path, kMagic.size()) == kMagic;
}

Decisions load_decisions(const std::string& path) {
  require_no_rules_instead(path);
  if (is_compact(path)) return load_compact(path);
  const auto model = std::make_shared<model::Model>(model::load_model(path));
  const bool chooses = std::ranges::any_of(model->rules.nodes, [&](const model::RuleNode& node) {
    return node.is_leaf() && !is_library_default(model->rules.methods[node.method]);
  });
  return {[model](Collective collective) {
            return std::ranges::count(model->origin.collectives, collective) > 0;
          },
          [model](const Instance& instance) { return model->decide(instance); },
          owner_of_model(*model), chooses};
}

void require_no_rules_instead(const std::string& path) {
  const fs::path folder = fs::absolute(path).parent_path();
  std::error_code absent;
  if (fs::exists(path, absent)) return;
  for (const rules::RuleTarget& target : rules::rule_targets()) {
    const fs::path file = folder / fmt::format("rules.{}", target.name);
    if (!fs::exists(file, absent)) continue;
    throw Error(fmt::format(
        "{}: no such file, because this folder was tuned for the library's own algorithms: load "
        "{} (colltree verify doctor --rules), or tune with --source portable",
        path, (fs::path(path).parent_path() / file.filename()).string()));
  }
}

std::string owner_of_methods(const colltree_decision& decision) {
  const bool ours = colltree_decision_is_portable(&decision) != 0;
  return ours ? "" : colltree_decision_origin(&decision).algorithms;
}

void require_our_methods(const std::string& path, const std::string& owner) {
  if (owner.empty()) return;
  throw Error(
      fmt::format("{}: its methods are the algorithms of {}, and colltree runs its own of the same "
                  "names; emit rules for {} from the model, or measure the portable algorithms",
                  path, owner, owner));
}

CLI::Option* add_rules_option(CLI::App& app, std::vector<std::string>& files) {
  return app
      .add_option("--rules", files,
                  "the rules file, as emit writes it for the library; given again, with Open MPI "
                  "5, the rules of coll/han to load beside it")
      ->allow_extra_args(false);
}

std::vector<DeployedRules> deployed_rules(std::string_view mpi,
                                          const std::vector<std::string>& rules) {
  std::vector<rules::RulesFile> files{{&rules::rule_target_of(mpi), rules[0]}};
  if (rules.size() > 2) throw UsageError("--rules: a library reads at most two files");
  if (rules.size() == 2) {
    if (!mpi.starts_with("openmpi-") || mpi.starts_with("openmpi-4"))
      throw UsageError(fmt::format("--rules: {} reads one file; only coll/han reads another", mpi));
    files.push_back({&rules::find_rule_target(rules::kHanTarget), rules[1]});
  }
  std::vector<DeployedRules> deployed;
  for (const rules::RulesFile& file : files)
    deployed.push_back({file, rules::require_readable(*file.target, file.name).rules});
  return deployed;
}

deploy::RulesArm arm_of(const std::vector<DeployedRules>& deployed) {
  deploy::RulesArm arm;
  for (const DeployedRules& rules : deployed) arm[0].push_back(rules.file);
  return arm;
}

}  // namespace colltree::cli
