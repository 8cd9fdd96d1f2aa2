// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <list>

#include "base/error.h"
#include "base/file.h"
#include "base/streams.h"
#include "deploy/side_by_side_log.h"
#include "deploy/tuning.h"
#include "evaluate/sessions.h"
#include "measure/installed_library.h"

namespace colltree::deploy {

namespace {

// The time that the calls of a verification may take: the budget without the start and end of jobs,
// of which most libraries need two a round.
std::optional<double> verification_s(const TuningRequest& request, const Fitted& fitted) {
  const auto& budget_s = request.campaign.budget.seconds;
  if (!budget_s) return std::nullopt;
  const bool in_one_job =
      fitted.rules_target == nullptr || fitted.rules_target->library == Library::kOpenmpi;
  const double jobs_s = static_cast<double>(evaluate::rounds_for(kVerifiedInstances)) *
                        (in_one_job ? 1 : 2) * fitted.outcome.job_s;
  return std::max(*budget_s - jobs_s, 0.1 * *budget_s);
}

// The instances to verify, and some that are left to the library where its rules slow those too.
MethodsArm chosen_methods(const TuningRequest& request, const Fitted& fitted) {
  const std::optional<double> budget_s = verification_s(request, fitted);
  MethodsArm chosen;
  for (const FittedModel& candidate : fitted.fitted) {
    if (!candidate.deploy) continue;
    const Timings& timings = fitted.timings_of(candidate);
    const std::size_t most =
        budget_s
            ? instances_in_time(timings, *budget_s / static_cast<double>(fitted.timings.size()),
                                request.campaign.stop.cell_budget_s)
            : kVerifiedInstances;
    for (const Instance& instance : instances_to_verify(candidate.model.rules, timings, most))
      chosen[instance] = candidate.model.decide(instance);
  }
  if (chosen.empty() || fitted.rules_target == nullptr ||
      rules::is_all_or_none(fitted.rules_target))
    return chosen;
  for (const FittedModel& candidate : fitted.fitted) {
    if (!candidate.deploy) continue;
    for (const Instance& instance :
         instances_left_alone(candidate.model.rules, fitted.timings_of(candidate)))
      chosen[instance] = library_default();
  }
  return chosen;
}

// A launcher that starts no job of one rank is no reason to stop.
measure::LibrarySettings known_settings(const measure::JobStarter& verifier) {
  try {
    return verifier.settings();
  } catch (const Error& error) {
    say(fmt::format(
        "the library's settings are not known, colltree verify doctor will see no change of "
        "them: {}\n",
        error.what()));
    return {};
  }
}

SideBySideLog stored_rounds(const measure::JobStarter& verifier, const std::string& file,
                            const MethodsArm& chosen) {
  if (std::filesystem::exists(file)) {
    SideBySideLog stored = read_side_by_side(file);
    if (stored.mpi == verifier.mpi() && stored.deployed == chosen) return stored;
  }
  return {verifier.mpi(), chosen, {}};
}

// Runs the rounds under the rules that would be deployed, in files that nobody else loads.
void run_rounds(const TuningRequest& request, const Fitted& fitted, const MethodsArm& chosen,
                SideBySideRequest& rounds) {
  std::list<TransientFile> unverified;
  rounds.deployed = chosen;
  if (fitted.rules_target != nullptr) {
    RulesArm arm;
    for (const DeployedRules& rules : deployed_rules(fitted, deployed_model(fitted))) {
      const std::string file = (request.folder / (rules.name + ".unverified")).string();
      unverified.emplace_back(file, rules.text);
      arm[rules.ranks_per_node].push_back({rules.target, unverified.back().name()});
      if (!rules.companion.empty())
        unverified.emplace_back(rules::companion_of(file), rules.companion);
    }
    rounds.deployed = std::move(arm);
  }
  try {
    measure_side_by_side(rounds, *request.verifier);
  } catch (const Error& error) {
    throw Error(
        fmt::format("verification: {}; the same command continues, --sessions 0 does without it",
                    error.what()));
  }
}

// Measures the rounds of this session that the folder does not hold yet.
SideBySideLog measure_verification(const TuningRequest& request, const MethodsArm& chosen,
                                   Verified& result) {
  const std::string file = (request.folder / kVerificationFile).string();
  SideBySideLog log = stored_rounds(*request.verifier, file, chosen);
  if (log.rounds.empty())
    write_file(request.folder / kSettingsFile,
               measure::settings_text(known_settings(*request.verifier)));
  const std::size_t count = evaluate::rounds_for(chosen.size());
  const SessionRounds session = next_session(log.rounds.size(), count, request.sessions);
  result.rounds_left = count - session.end;
  SideBySideRequest rounds;
  for (const auto& [instance, method] : chosen) rounds.instances.push_back(instance);
  rounds.rounds = session.end;
  rounds.session = session.session;
  rounds.first_round = log.rounds.size();
  rounds.cell_budget_s = request.campaign.stop.cell_budget_s;
  if (const std::optional<double> budget_s = verification_s(request, result)) {
    rounds.time_limit_s = *request.campaign.budget.seconds;
    rounds.cell_budget_s =
        std::min(rounds.cell_budget_s, *budget_s / static_cast<double>(2 * count * chosen.size()));
  }
  rounds.beside = file;
  rounds.on_round = [&](const std::map<Instance, evaluate::Pair>& round) {
    log.rounds.push_back(round);
    write_file(file, side_by_side_text(log));
  };
  run_rounds(request, result, chosen, rounds);
  return log;
}

// A model of which something went back to the library is no longer what its kind would fit.
void verify_model(FittedModel& fitted, const RoundsOfPairs& pairs, Verified& result) {
  const Timings& timings = result.timings_of(fitted);
  Verification verification = verify_regions(fitted.model.rules, timings, pairs);
  if (rules::is_all_or_none(result.rules_target))
    keep_all_or_none(fitted.model.rules, pairs, verification);
  std::ranges::copy(verification.regions, std::back_inserter(result.verified));
  if (!verification.changed()) return;
  const model::Statistics before = std::move(fitted.model.statistics);
  fitted.model = model::rules_model(fitted.model.origin, std::move(verification.tree));
  model::judge_on_training_points(fitted.model, {timings});
  fitted.model.statistics.like_default = before.like_default;
  fitted.model.statistics.expectation = before.expectation;  // write_deployed() finds the new one
}

}  // namespace

Verified verify_models(const TuningRequest& request, Fitted fitted) {
  Verified result{std::move(fitted), {}, {}};
  if (request.verifier == nullptr || !result.undecided.empty()) return result;
  const MethodsArm chosen = chosen_methods(request, result);
  if (chosen.empty()) return result;
  const SideBySideLog log = measure_verification(request, chosen, result);
  if (result.rounds_left > 0) return result;
  result.sessions = log.sessions();
  const RoundsOfPairs pairs = in_most_rounds(log.pairs(), log.rounds.size());
  std::vector<std::vector<evaluate::Pair>> kept;
  for (FittedModel& candidate : result.fitted) {
    if (!candidate.deploy) continue;
    verify_model(candidate, pairs, result);
    for (const auto& [instance, rounds] : pairs) {
      if (candidate.model.origin.collectives.front() == instance.collective &&
          !is_library_default(candidate.model.decide(instance)))
        kept.push_back(rounds);
    }
  }
  result.kept_instances = kept.size();
  if (!kept.empty()) result.kept_gain = evaluate::gain_of(kept, 1);
  return result;
}

}  // namespace colltree::deploy
