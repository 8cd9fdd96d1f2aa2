// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/tuning.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <list>
#include <map>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "base/streams.h"
#include "deploy/library_reasons.h"
#include "deploy/side_by_side_log.h"
#include "emit/emitter.h"
#include "evaluate/gain.h"
#include "measure/installed_library.h"
#include "model/expectation.h"
#include "model/fitter.h"
#include "model/model.h"
#include "model/rule_tree.h"
#include "profile/load_timings.h"
#include "rules/targets/openmpi_han.h"
#include "surrogate/complete.h"
#include "timings/decision_map.h"

namespace colltree::deploy {

namespace {

namespace fs = std::filesystem;

struct TunedModel {
  const char* name;    // of its files: bcast-quadtree3.json
  const char* fitter;  // model/fitter.h
  bool needs_one_placement = false;
};

// Beside the one to deploy, to compare with.
constexpr TunedModel kModels[] = {
    {"quadtree3", "quadtree:max_depth=3", true},
    {"quadtree", "quadtree", true},
    {"c45-m2-c25", "c45:weight=2,confidence=25"},
    {"c45-m40-c5", "c45:weight=40,confidence=5"},
};

constexpr TunedModel kCombined[] = {
    {"c45-m2-c25", "c45:weight=2,confidence=25"},
    {"c45-m20-c5", "c45:weight=20,confidence=5"},
};

// In names of files.
std::string of_ppn(std::uint64_t ranks_per_node) {
  return ranks_per_node == 0 ? "" : fmt::format("-ppn{}", ranks_per_node);
}

class Tuner {
 public:
  Tuner(const TuningRequest& request, const measure::Driver& driver)
      : request_(request), driver_(driver) {}

  Tuning run() {
    tuning_.default_name = driver_.default_name();
    // What cannot be must not leave a folder, nor measure for nothing.
    require_possible_beyond(measure::plan_cells(request_.campaign, driver_));
    if (request_.campaign.library)
      tuning_.rules_target = &rules::rule_target_of(driver_.system().mpi);
    make_folder(request_.folder);
    if (request_.about_to_measure) request_.about_to_measure();
    measure();
    fit_each();
    fit_combined();
    if (!tuning_.undecided.empty()) leave_all_to_the_library();
    tuning_.deciders = who_decides(tuning_.timings);
    if (request_.verifier != nullptr && tuning_.undecided.empty()) verify();
    if (tuning_.rounds_left > 0) return std::move(tuning_);
    go_beyond();
    for (FittedModel& fitted : tuning_.fitted) write(fitted);
    if (request_.campaign.library) {
      write_rules();
    } else {
      write_run_time_model();
    }
    return std::move(tuning_);
  }

 private:
  void require_possible_beyond(const std::vector<measure::PlanCell>& cells) const {
    if (!request_.beyond) return;
    MeasuredMethods methods;
    std::uint64_t ranks = 0;
    for (const measure::PlanCell& cell : cells) {
      methods[cell.instance.collective].push_back(cell.method);
      ranks = std::max(ranks, cell.instance.communicator_size);
    }
    require_possible(*request_.beyond, ranks, methods);
  }

  fs::path profile_path() const {
    return request_.profile.empty() ? request_.folder / "profile.db" : fs::path(request_.profile);
  }

  // Why most cells of the profile have no time.
  static std::string commonest_failure(const profile::Profile& profile) {
    std::map<std::string, std::size_t> counts;
    for (const profile::StoredCampaign& campaign : profile.campaigns()) {
      for (const profile::Cell& cell : profile.cells(campaign.id)) {
        if (!cell.reason.empty()) ++counts[cell.reason];  // not of those that are only wanted
      }
    }
    const auto most =
        std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
    return most == counts.end() ? "no cell says why" : most->first;
  }

  // Between the sessions of a verification the profile stays as it is: other times could make other
  // models, whose verification would begin anew.
  measure::CampaignRequest campaign() const {
    measure::CampaignRequest campaign = request_.campaign;
    if (campaign.budget.seconds && is_between_sessions()) {
      campaign.budget = {.cells = 1};
      say(fmt::format(
          "{}: no further cell is measured until the sessions of the verification are complete\n",
          request_.folder.string()));
    }
    return campaign;
  }
  bool is_between_sessions() const {
    if (request_.sessions < 2 || request_.verifier == nullptr || !fs::exists(verification_path()))
      return false;
    const SideBySideLog log = read_side_by_side(verification_path());
    return !log.rounds.empty() && log.rounds.size() < evaluate::rounds_for(log.deployed.size());
  }
  std::string verification_path() const { return (request_.folder / kVerificationFile).string(); }

  void measure() {
    profile::Profile profile(profile_path(), profile::OpenMode::kWrite);
    tuning_.outcome = measure::run_campaign(campaign(), driver_, profile);
    if (tuning_.outcome.measured == 0 && tuning_.outcome.already == 0)
      throw Error(
          fmt::format("no cell could be measured: {}; remove the cause and add --retry-failed",
                      commonest_failure(profile)));
    require_choice(profile);
    tuning_.system = profile.require_system(tuning_.outcome.system);
    tuning_.undecided = why_undecided(profile, tuning_.system.name);
    const profile::LoadOptions load{.default_candidate = !is_all_or_none()};
    for (const Collective collective : request_.campaign.collectives) {
      const auto timings = surrogate::complete(
          profile::find_timings(profile, tuning_.system.name, collective, load));
      if (!timings) {
        tuning_.unmeasured.push_back(collective);
        continue;
      }
      tuning_.timings.push_back(request_.reproducible ? in_one_order(*timings) : *timings);
    }
    if (tuning_.timings.empty())  // says why
      profile::load_timings(profile, tuning_.system.name, tuning_.unmeasured.front(), load);
  }

  // A loaded machine may use up a short budget before a method is compared with the default.
  void require_choice(const profile::Profile& profile) const {
    if (!request_.campaign.budget.seconds) return;
    for (const profile::StoredCampaign& campaign : profile.campaigns()) {
      for (const profile::Cell& cell : profile.cells(campaign.id)) {
        if (!cell.samples.empty() && !is_library_default(cell.key.method)) return;
      }
    }
    throw Error(fmt::format(
        "the budget is used up after {} cells, all of the library's own choice: there is nothing "
        "to "
        "choose from yet; the same command continues, on a quiet machine or with a longer --budget",
        tuning_.outcome.measured + tuning_.outcome.already));
  }

  void keep(const std::string& name, const std::string& fitter, const std::vector<Timings>& timings,
            bool deploy) {
    const model::Fitter parsed = model::parse_fitter(fitter);
    tuning_.fitted.push_back(
        {name, parsed.name(), model::fit_and_judge(parsed, timings), 0, deploy});
  }

  void write(FittedModel& fitted) const {
    model::save_model(fitted.model, request_.folder / (fitted.name + ".json"));
    emit::EmitOptions emit;
    emit.prefix = "colltree_" + fitted.name;
    std::ranges::replace_if(
        emit.prefix, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    const std::string source = emit::find_emitter("c").emit(fitted.model, emit);
    write_file(request_.folder / (fitted.name + ".c"), source);
    fitted.c_bytes = source.size();
  }

  void fit_each() {
    for (const Timings& timings : tuning_.timings) {
      const std::string collective(name(timings.collective));
      write_maps(timings);
      keep(collective, model::deployed_fitter(request_.caution), {timings}, true);
      for (const TunedModel& tuned : kModels) {
        if (tuned.needs_one_placement && has_several_placements(timings)) continue;
        keep(fmt::format("{}-{}", collective, tuned.name), tuned.fitter, {timings}, false);
      }
    }
  }

  // One, or one for each placement.
  void write_maps(const Timings& timings) {
    const auto write = [&](std::uint64_t ranks_per_node, const Timings& placed) {
      tuning_.maps.push_back({ranks_per_node, make_decision_map(placed)});
      write_file(request_.folder /
                     fmt::format("{}{}-map.csv", name(timings.collective), of_ppn(ranks_per_node)),
                 map_csv(tuning_.maps.back().map));
    };
    if (!has_several_placements(timings)) return write(0, timings);
    for (const std::uint64_t ranks : placements_of(timings))
      write(ranks, select_placement(timings, ranks));
  }

  // Collectives whose methods have the same names make one tree (2006, 5.2): bcast and reduce.
  void fit_combined() {
    std::vector<Timings> sharing;
    for (const Timings& timings : tuning_.timings) {
      const bool shares = std::ranges::any_of(tuning_.timings, [&](const Timings& other) {
        return other.collective != timings.collective &&
               std::ranges::count(other.methods, Method{"binary", 0}) > 0;
      });
      if (shares && std::ranges::count(timings.methods, Method{"binary", 0}) > 0)
        sharing.push_back(timings);
    }
    if (sharing.size() < 2) return;
    std::string names;
    for (const Timings& timings : sharing)
      names += (names.empty() ? "" : "+") + std::string(name(timings.collective));
    for (const TunedModel& tuned : kCombined) {
      keep(fmt::format("{}-{}", names, tuned.name), tuned.fitter, sharing, false);
    }
  }

  // The models to deploy as one.
  model::Model deployed() const {
    std::vector<model::RuleTree> trees;
    for (const FittedModel& fitted : tuning_.fitted) {
      if (fitted.deploy) trees.push_back(fitted.model.rules);
    }
    model::Model model =
        model::rules_model(model::origin_of(tuning_.timings), model::united(trees));
    model::judge_on_training_points(model, tuning_.timings);
    return model;
  }

  struct RulesText {
    std::string file;
    std::string companion;
  };

  // The models to deploy as the rules of the library whose algorithms were measured.
  RulesText rules_text(const rules::RuleTarget& target, const model::Model& model,
                       std::uint64_t ranks_per_node) {
    std::vector<Timings> measured = tuning_.timings;
    if (ranks_per_node != 0) {
      for (Timings& one : measured) one = select_placement(one, ranks_per_node);
    }
    std::vector<std::string> notes;
    emit::EmitOptions emit;
    emit.timings = &measured;
    emit.ranks_per_node = ranks_per_node;
    emit.notes = &notes;
    RulesText text;
    emit.companion = &text.companion;
    text.file = emit::find_emitter(target.name).emit(model, emit);
    for (const std::string& note : notes) {
      const std::string of = ranks_per_node == 0 ? "" : fmt::format("{} a node: ", ranks_per_node);
      const std::string by = tuning_.deciders.empty() ? "" : fmt::format("{}: ", target.name);
      tuning_.rules_notes.push_back(of + by + note);
    }
    return text;
  }

  // The placements that need a file of their own; 0: one file is for all.
  std::set<std::uint64_t> placements_of_files() const {
    std::set<std::uint64_t> placements;
    for (const Timings& timings : tuning_.timings) {
      if (has_several_placements(timings))
        std::ranges::copy(placements_of(timings), std::inserter(placements, placements.end()));
    }
    const bool asks = tuning_.rules_target->placement == rules::PlacementAxis::kRanksPerNode;
    return asks || placements.empty() ? std::set<std::uint64_t>{0} : placements;
  }

  // The library's; where coll/han was seen to carry calls out, its too.
  std::vector<const rules::RuleTarget*> rule_targets_to_load() const {
    std::vector<const rules::RuleTarget*> targets{tuning_.rules_target};
    if (!tuning_.deciders.empty()) targets.push_back(&rules::find_rule_target(rules::kHanTarget));
    return targets;
  }

  std::string rules_file(const rules::RuleTarget& target, std::uint64_t ranks_per_node,
                         const char* suffix) const {
    return (request_.folder /
            fmt::format("rules{}.{}{}", of_ppn(ranks_per_node), target.name, suffix))
        .string();
  }

  void write_rules() {
    const model::Model model = deployed();
    model::save_model(model, request_.folder / "rules.json");
    tuning_.rules_notes.clear();
    for (const std::uint64_t ranks_per_node : placements_of_files()) {
      for (const rules::RuleTarget* target : rule_targets_to_load()) {
        const std::string file = rules_file(*target, ranks_per_node, "");
        const RulesText text = rules_text(*target, model, ranks_per_node);
        write_file(file, text.file);
        if (target->has_companion) rules::keep_companion(file, text.companion);
        tuning_.rules[ranks_per_node].push_back({target, file});
      }
    }
  }

  void leave_all_to_the_library() {
    for (FittedModel& fitted : tuning_.fitted) {
      if (!fitted.deploy) continue;
      const Timings& timings = tuning_.timings_of(fitted);
      fitted.model = model::rules_model(fitted.model.origin,
                                        model::one_leaf(timings.collective, library_default()));
      model::judge_on_training_points(fitted.model, {timings});
    }
  }

  // Of a budget of time, what the calls of a verification may take: all of it but for the jobs, of
  // which most libraries need two a round.
  std::optional<double> verification_s() const {
    const auto& budget_s = request_.campaign.budget.seconds;
    if (!budget_s) return std::nullopt;
    const bool in_one_job =
        tuning_.rules_target == nullptr || tuning_.rules_target->library == Library::kOpenmpi;
    const double jobs_s = static_cast<double>(evaluate::rounds_for(kVerifiedInstances)) *
                          (in_one_job ? 1 : 2) * tuning_.outcome.job_s;
    return std::max(*budget_s - jobs_s, 0.1 * *budget_s);
  }

  // As many as can be verified within a budget of time, which the collectives share.
  std::size_t instances_in_time(const Timings& timings) const {
    const std::optional<double> budget_s = verification_s();
    if (!budget_s) return kVerifiedInstances;
    return colltree::deploy::instances_in_time(
        timings, *budget_s / static_cast<double>(tuning_.timings.size()),
        request_.campaign.stop.cell_budget_s);
  }

  void verify() {
    MethodsArm chosen;
    for (const FittedModel& fitted : tuning_.fitted) {
      if (!fitted.deploy) continue;
      for (const Instance& at : instances_to_verify(fitted.model.rules, tuning_.timings_of(fitted),
                                                    instances_in_time(tuning_.timings_of(fitted))))
        chosen[at] = fitted.model.decide(at);
    }
    if (chosen.empty()) return;
    if (tuning_.rules_target != nullptr && !is_all_or_none()) add_left_alone(chosen);
    const SideBySideLog log = measure_verification(chosen);
    if (tuning_.rounds_left > 0) return;
    tuning_.sessions = log.sessions();
    const RoundsOfPairs pairs = in_most_rounds(log.pairs(), log.rounds.size());
    for (FittedModel& fitted : tuning_.fitted) {
      if (fitted.deploy) judge(fitted, pairs);
    }
    std::vector<std::vector<evaluate::Pair>> kept;
    for (const FittedModel& fitted : tuning_.fitted) {
      for (const auto& [at, rounds] : pairs) {
        if (fitted.deploy && fitted.model.origin.collectives.front() == at.collective &&
            !is_library_default(fitted.model.decide(at)))
          kept.push_back(rounds);
      }
    }
    tuning_.kept_instances = kept.size();
    if (!kept.empty()) tuning_.kept_gain = evaluate::gain_of(kept, 1);
  }

  void add_left_alone(MethodsArm& chosen) const {
    for (const FittedModel& fitted : tuning_.fitted) {
      if (!fitted.deploy) continue;
      for (const Instance& at :
           instances_left_alone(fitted.model.rules, tuning_.timings_of(fitted)))
        chosen[at] = library_default();
    }
  }

  // Where something went back the model is no longer what its kind would fit.
  void judge(FittedModel& fitted, const RoundsOfPairs& pairs) {
    Verification verification =
        verify_regions(fitted.model.rules, tuning_.timings_of(fitted), pairs);
    if (is_all_or_none()) keep_all_or_none(fitted.model.rules, pairs, verification);
    std::ranges::copy(verification.regions, std::back_inserter(tuning_.verified));
    if (!verification.changed()) return;
    const model::Statistics before = std::move(fitted.model.statistics);
    const std::vector<Timings> timings{tuning_.timings_of(fitted)};
    fitted.model = model::rules_model(fitted.model.origin, std::move(verification.tree));
    model::judge_on_training_points(fitted.model, timings);
    fitted.model.statistics.like_default = before.like_default;
    fitted.model.statistics.expectation = before.expectation;  // go_beyond() finds the new one
  }

  // The library's rules leave no part of a collective to it (Intel MPI): models are fitted without
  // its own choice, and all of one is kept or nothing.
  bool is_all_or_none() const {
    return tuning_.rules_target != nullptr && !tuning_.rules_target->leaves_parts;
  }

  void go_beyond() {
    for (FittedModel& fitted : tuning_.fitted) {
      if (!fitted.deploy) continue;
      const Timings& timings = tuning_.timings_of(fitted);
      const bool real = timings.provenance != profile::kProvenanceSimulated;
      const Beyond usual{real && !is_all_or_none() ? Beyond::Choice::kDefault
                                                   : Beyond::Choice::kNearest};
      if (const auto said = extend_beyond(fitted.model.rules, timings, tuning_.timings,
                                          request_.beyond.value_or(usual), profile_path().string()))
        tuning_.beyond.push_back(*said);
      expect_of_deployed(fitted);
    }
  }

  // Sizes that went back to the library, also beyond the measured ones, gain and risk nothing.
  void expect_of_deployed(FittedModel& fitted) const {
    auto& expectation = fitted.model.statistics.expectation;
    if (!expectation) return;
    const Timings& timings = tuning_.timings_of(fitted);
    expectation = model::expectation_of(fitted.model.rules, {timings},
                                        timings.instances.back().communicator_size);
  }

  // A launcher that starts no job of one rank is no reason to stop.
  measure::LibrarySettings settings() const {
    try {
      return request_.verifier->settings();
    } catch (const Error& error) {
      say(fmt::format(
          "the library's settings are not known, colltree verify doctor will see no change of "
          "them: {}\n",
          error.what()));
      return {};
    }
  }

  // What the file in the folder holds of the same is not measured again.
  SideBySideLog measure_verification(const MethodsArm& chosen) {
    tuning_.verification_file = verification_path();
    SideBySideLog log = stored_verification(chosen);
    if (log.rounds.empty())
      write_file(request_.folder / kSettingsFile, measure::settings_text(settings()));
    SideBySideRequest side;
    for (const auto& [at, method] : chosen) side.instances.push_back(at);
    const std::size_t rounds = evaluate::rounds_for(chosen.size());
    const SessionRounds now = next_session(log.rounds.size(), rounds, request_.sessions);
    side.rounds = now.end;
    side.session = now.session;
    side.first_round = log.rounds.size();
    tuning_.rounds_left = rounds - now.end;
    side.cell_budget_s = request_.campaign.stop.cell_budget_s;
    if (const std::optional<double> budget_s = verification_s()) {
      side.time_limit_s = *request_.campaign.budget.seconds;
      side.cell_budget_s =
          std::min(side.cell_budget_s, *budget_s / static_cast<double>(2 * rounds * chosen.size()));
    }
    side.beside = tuning_.verification_file;
    side.on_round = [&](const std::map<Instance, evaluate::Pair>& round) {
      log.rounds.push_back(round);
      write_file(tuning_.verification_file, side_by_side_text(log));
    };
    if (tuning_.rules_target == nullptr) {
      side.deployed = chosen;
      run(side);
    } else {
      const model::Model model = deployed();
      RulesArm rules;
      std::list<TransientFile> unverified;
      for (const std::uint64_t ranks_per_node : placements_of_files()) {
        for (const rules::RuleTarget* target : rule_targets_to_load()) {
          const std::string file = rules_file(*target, ranks_per_node, ".unverified");
          const RulesText text = rules_text(*target, model, ranks_per_node);
          unverified.emplace_back(file, text.file);
          rules[ranks_per_node].push_back({target, unverified.back().name()});
          if (!text.companion.empty())
            unverified.emplace_back(rules::companion_of(file), text.companion);
        }
      }
      side.deployed = std::move(rules);
      run(side);
    }
    return log;
  }

  void run(const SideBySideRequest& side) const {
    try {
      measure_side_by_side(side, *request_.verifier);
    } catch (const Error& error) {
      throw Error(
          fmt::format("verification: {}; the same command continues, --no-verify does without it",
                      error.what()));
    }
  }

  SideBySideLog stored_verification(const MethodsArm& chosen) const {
    if (fs::exists(tuning_.verification_file)) {
      SideBySideLog stored = read_side_by_side(tuning_.verification_file);
      if (stored.mpi == request_.verifier->mpi() && stored.deployed == chosen) return stored;
    }
    return {request_.verifier->mpi(), chosen, {}};
  }

  void write_run_time_model() {
    tuning_.run_time_file = (request_.folder / "tuned.cdt").string();
    write_file(tuning_.run_time_file, emit::find_emitter("cdt").emit(deployed(), {}));
  }

  const TuningRequest& request_;
  const measure::Driver& driver_;
  Tuning tuning_;
};

}  // namespace

std::string why_undecided(const profile::Profile& profile, const std::string& system) {
  std::size_t measured = 0;
  std::size_t disturbed = 0;
  for (const profile::StoredCampaign& campaign : profile.campaigns()) {
    if (campaign.info.system.name != system) continue;
    for (const profile::Cell& cell : profile.cells(campaign.id)) {
      measured += cell.status == profile::CellStatus::kOk ? 1 : 0;
      disturbed += profile::is_disturbed(cell) ? 1 : 0;
    }
  }
  if (2 * disturbed <= measured) return "";
  return fmt::format(
      "{} of {} cells were measured while others used the machine or ranks shared cores: these "
      "times decide nothing. Tune on idle nodes with a core for each rank; --retry-disturbed "
      "measures these cells again, --foreign-load 0 takes the times as they are.",
      disturbed, measured);
}

const Timings& Tuning::timings_of(const FittedModel& one) const {
  return *std::ranges::find(timings, one.model.origin.collectives.front(), &Timings::collective);
}

bool Tuning::deploys(const FittedModel& one) const {
  return one.deploy && std::ranges::any_of(timings_of(one).instances, [&](const Instance& at) {
           return !is_library_default(one.model.decide(at));
         });
}

bool Tuning::deploys_anything() const {
  return std::ranges::any_of(fitted, [&](const FittedModel& one) { return deploys(one); });
}

evaluate::Comparison Tuning::compare(const Timings& of, bool deployed_only) const {
  evaluate::Comparison comparison = evaluate::compare_baselines(of, default_name);
  for (const FittedModel& one : fitted) {
    if (std::ranges::count(one.model.origin.collectives, of.collective) == 0) continue;
    if (deployed_only && !one.deploy) continue;
    const auto leaves = one.model.statistics.shape.leaves;
    const std::string detail =
        one.deploy && !deploys(one)
            ? "the library's own choice everywhere"
            : fmt::format("{}{} leaves", one.deploy ? "to deploy, " : "", leaves);
    comparison.rows.push_back({one.name, detail, model::penalty_points(of, one.model)});
  }
  return comparison;
}

Tuning tune(const TuningRequest& request, const measure::Driver& driver) {
  return Tuner(request, driver).run();
}

}  // namespace colltree::deploy
