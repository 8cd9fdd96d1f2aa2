// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "base/file.h"
#include "deploy/tuning.h"
#include "emit/emitter.h"
#include "model/expectation.h"
#include "rules/openmpi/openmpi_han.h"

namespace colltree::deploy {

namespace {

// The placements that need separate files; 0: one file is for all.
std::set<std::uint64_t> placements_of_files(const Fitted& fitted) {
  std::set<std::uint64_t> placements;
  for (const Timings& timings : fitted.timings) {
    if (has_several_placements(timings))
      std::ranges::copy(placements_of(timings), std::inserter(placements, placements.end()));
  }
  const bool has_axis = fitted.rules_target->placement == rules::PlacementAxis::kRanksPerNode;
  return has_axis || placements.empty() ? std::set<std::uint64_t>{0} : placements;
}

DeployedRules rules_for(const rules::RuleTarget& target, std::uint64_t ranks_per_node,
                        const Fitted& fitted, const model::Model& model) {
  std::vector<Timings> measured = fitted.timings;
  if (ranks_per_node != 0) {
    for (Timings& timings : measured) timings = select_placement(timings, ranks_per_node);
  }
  DeployedRules rules{ranks_per_node, &target, "", "", "", {}};
  rules.name = fmt::format("rules{}.{}", placement_suffix(ranks_per_node), target.name);
  std::vector<std::string> notes;
  emit::EmitOptions emit;
  emit.timings = &measured;
  emit.ranks_per_node = ranks_per_node;
  emit.notes = &notes;
  emit.companion = &rules.companion;
  rules.text = emit::find_emitter(target.name).emit(model, emit);
  const std::string scope =
      (ranks_per_node == 0 ? "" : fmt::format("{} a node: ", ranks_per_node)) +
      (fitted.deciders.empty() ? "" : fmt::format("{}: ", target.name));
  for (const std::string& note : notes) rules.notes.push_back(scope + note);
  return rules;
}

// Sizes that went back to the library, also beyond the measured ones, gain and risk nothing, so the
// expectation is computed again.
void extend_models(const TuningRequest& request, Tuning& tuning) {
  for (FittedModel& fitted : tuning.fitted) {
    if (!fitted.deploy) continue;
    const Timings& timings = tuning.timings_of(fitted);
    if (const auto prediction =
            extend_beyond(fitted.model.rules, timings, tuning.timings,
                          request.beyond.value_or(usual_beyond(timings, tuning.rules_target)),
                          request.profile_path().string()))
      tuning.beyond.push_back(*prediction);
    if (auto& expectation = fitted.model.statistics.expectation)
      expectation = model::expectation_of(fitted.model.rules, {timings},
                                          timings.instances.back().communicator_size);
  }
}

void write_model(const std::filesystem::path& folder, FittedModel& fitted) {
  model::save_model(fitted.model, folder / (fitted.name + ".json"));
  emit::EmitOptions emit;
  emit.prefix = "colltree_" + fitted.name;
  std::ranges::replace_if(
      emit.prefix, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  const std::string source = emit::find_emitter("c").emit(fitted.model, emit);
  write_file(folder / (fitted.name + ".c"), source);
  fitted.c_bytes = source.size();
}

}  // namespace

std::string placement_suffix(std::uint64_t ranks_per_node) {
  return ranks_per_node == 0 ? "" : fmt::format("-ppn{}", ranks_per_node);
}

model::Model deployed_model(const Fitted& fitted) {
  std::vector<model::RuleTree> trees;
  for (const FittedModel& candidate : fitted.fitted) {
    if (candidate.deploy) trees.push_back(candidate.model.rules);
  }
  model::Model model = model::rules_model(model::origin_of(fitted.timings), model::united(trees));
  model::judge_on_training_points(model, fitted.timings);
  return model;
}

std::vector<DeployedRules> deployed_rules(const Fitted& fitted, const model::Model& model) {
  std::vector<const rules::RuleTarget*> targets{fitted.rules_target};
  if (!fitted.deciders.empty()) targets.push_back(&rules::find_rule_target(rules::kHanTarget));
  std::vector<DeployedRules> files;
  for (const std::uint64_t ranks_per_node : placements_of_files(fitted)) {
    for (const rules::RuleTarget* target : targets)
      files.push_back(rules_for(*target, ranks_per_node, fitted, model));
  }
  return files;
}

Tuning write_deployed(const TuningRequest& request, Verified verified) {
  Tuning tuning{std::move(verified), {}, {}, "", {}, {}};
  if (tuning.setting) tuning.setting_files = write_setting(request.folder, tuning.setting->setting);
  extend_models(request, tuning);
  for (FittedModel& fitted : tuning.fitted) write_model(request.folder, fitted);
  const model::Model model = deployed_model(tuning);
  if (tuning.rules_target == nullptr) {
    tuning.run_time_file = (request.folder / "tuned.cdt").string();
    write_file(tuning.run_time_file, emit::find_emitter("cdt").emit(model, {}));
    return tuning;
  }
  model::save_model(model, request.folder / "rules.json");
  for (const DeployedRules& rules : deployed_rules(tuning, model)) {
    const std::string file = (request.folder / rules.name).string();
    write_file(file, rules.text);
    if (rules.target->has_companion) rules::keep_companion(file, rules.companion);
    tuning.rules[rules.ranks_per_node].push_back({rules.target, file});
    std::ranges::copy(rules.notes, std::back_inserter(tuning.rules_notes));
  }
  return tuning;
}

}  // namespace colltree::deploy
