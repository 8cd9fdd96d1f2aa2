// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/tuning.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "base/streams.h"
#include "deploy/doctor.h"
#include "deploy/library_reasons.h"
#include "deploy/side_by_side_log.h"
#include "evaluate/policy.h"
#include "profile/load_timings.h"
#include "surrogate/complete.h"

namespace colltree::deploy {

namespace {

// Throws where a cell cannot be planned, or a model not be extended beyond the measured ranks.
void refuse_impossible(const TuningRequest& request, const measure::Driver& driver) {
  const std::vector<protocol::PlanCell> cells = measure::plan_cells(request.campaign, driver);
  if (!request.beyond) return;
  MeasuredMethods methods;
  std::uint64_t ranks = 0;
  for (const protocol::PlanCell& cell : cells) {
    methods[cell.instance.collective].push_back(cell.method);
    ranks = std::max(ranks, cell.instance.communicator_size);
  }
  require_possible(*request.beyond, ranks, methods);
}

// The reason that most cells without a time give.
std::string commonest_failure(const profile::Profile& profile) {
  std::map<std::string, std::size_t> counts;
  for (const profile::StoredCampaign& campaign : profile.campaigns()) {
    for (const profile::Cell& cell : profile.cells(campaign.id)) {
      if (!cell.reason.empty()) ++counts[cell.reason];  // cells that are only wanted have none
    }
  }
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  return most == counts.end() ? "no cell says why" : most->first;
}

bool is_between_sessions(const TuningRequest& request) {
  const std::string file = (request.folder / kVerificationFile).string();
  if (request.sessions < 2 || request.verifier == nullptr || !std::filesystem::exists(file))
    return false;
  const SideBySideLog log = read_side_by_side(file);
  return !log.rounds.empty() && log.rounds.size() < evaluate::rounds_for(log.deployed.size());
}

// A loaded machine may use up a short budget before a method is compared with the default.
void require_choice(const TuningRequest& request, const measure::CampaignOutcome& outcome,
                    const profile::Profile& profile) {
  if (!request.campaign.budget.seconds) return;
  for (const profile::StoredCampaign& campaign : profile.campaigns()) {
    for (const profile::Cell& cell : profile.cells(campaign.id)) {
      if (!cell.samples.empty() && !is_library_default(cell.key.method)) return;
    }
  }
  throw Error(fmt::format(
      "the budget is used up after {} cells, all of the library's own choice: there is nothing to "
      "choose from yet; the same command continues, on a quiet machine or with a longer --budget",
      outcome.measured + outcome.already));
}

// Jobs of a campaign differ by more than their samples say, so the setting that won is measured
// once more beside the plain job, in turns.
void verify_setting(const TuningRequest& request, const measure::Driver& driver,
                    SettingChoice& choice) {
  std::set<Instance> instances;
  for (const protocol::PlanCell& cell : measure::plan_cells(request.campaign, driver))
    instances.insert(protocol::placed(cell.instance, 0));
  const DoctorRequest probe{.beside = request.profile_path().string(),
                            .settings = {choice.setting},
                            .instances = fewer_probes(instances, kMostProbes)};
  const SettingProbe found = probe_setting(probe, choice.setting, *request.verifier);
  choice.verified = found.gain;
  if (evaluate::is_proven(found.gain)) return;
  choice.refused = choice.setting.name;
  choice.setting = {};
}

// From here on all is fitted to and verified under the setting that is to be deployed.
void take_setting(const TuningRequest& request, const measure::Driver& driver,
                  const profile::Profile& profile, Measured& measured, profile::LoadOptions& load) {
  measured.setting = choose_setting(profile, measured.system.name, request.campaign.collectives,
                                    driver.settings(), request.calls);
  if (request.verifier != nullptr && !measured.setting->is_plain())
    verify_setting(request, driver, *measured.setting);
  const measure::Setting& setting = measured.setting->setting;
  load.setting = setting.name;
  if (request.verifier != nullptr) request.verifier->use(setting.variables);
  const bool compares_settings_alone = std::ranges::all_of(
      measure::plan_cells(request.campaign, driver),
      [](const auto& cell) { return is_library_default(without_setting(cell.method)); });
  if (!measure::decides_alone(setting) && !compares_settings_alone) return;
  load.default_alone = load.default_candidate = true;
  measured.undecided =
      compares_settings_alone
          ? "of each setting only the library's own choice was measured."
          : fmt::format("under setting {} a component carries out the collectives itself.",
                        setting.name);
}

measure::CampaignOutcome run_campaign(const TuningRequest& request, const measure::Driver& driver,
                                      profile::Profile& profile) {
  measure::CampaignRequest campaign = request.campaign;
  // Between the sessions of a verification the profile stays as it is: other times could make other
  // models, whose verification would begin anew.
  if (campaign.budget.seconds && is_between_sessions(request)) {
    campaign.budget = {.cells = 1};
    say(fmt::format(
        "{}: no further cell is measured until the sessions of the verification are complete\n",
        request.folder.string()));
  }
  measure::CampaignOutcome outcome = measure::run_campaign(campaign, driver, profile);
  if (outcome.measured == 0 && outcome.already == 0)
    throw Error(
        fmt::format("no cell could be measured: {}; remove the cause and add --retry failed",
                    commonest_failure(profile)));
  require_choice(request, outcome, profile);
  return outcome;
}

}  // namespace

Measured measure_cells(const TuningRequest& request, const measure::Driver& driver) {
  Measured measured;
  measured.default_name = driver.default_name();
  refuse_impossible(request, driver);
  if (request.campaign.library) measured.rules_target = &rules::rule_target_of(driver.system().mpi);
  make_folder(request.folder);
  if (request.about_to_measure) request.about_to_measure();
  profile::Profile profile(request.profile_path(), profile::OpenMode::kWrite);
  measured.outcome = run_campaign(request, driver, profile);
  measured.system = profile.require_system(measured.outcome.system);
  measured.undecided = evaluate::why_undecided(profile, measured.system.name);
  profile::LoadOptions load{.default_candidate = !rules::is_all_or_none(measured.rules_target)};
  if (!driver.settings().empty()) take_setting(request, driver, profile, measured, load);
  for (const Collective collective : request.campaign.collectives) {
    const auto timings =
        surrogate::complete(profile::find_timings(profile, measured.system.name, collective, load));
    if (!timings) {
      measured.unmeasured.push_back(collective);
    } else {
      measured.timings.push_back(request.reproducible ? in_one_order(*timings) : *timings);
    }
  }
  if (measured.timings.empty())  // throws an error that says why
    profile::load_timings(profile, measured.system.name, measured.unmeasured.front(), load);
  measured.deciders = who_decides(measured.timings);
  return measured;
}

namespace {

struct ComparedFitter {
  const char* name;    // of its files: bcast-quadtree3.json
  const char* fitter;  // model/fitter.h
  bool needs_one_placement = false;
};

// Models beside the one to deploy, to compare with.
constexpr ComparedFitter kCompared[] = {
    {"quadtree3", "quadtree:max_depth=3", true},
    {"quadtree", "quadtree", true},
    {"c45-m2-c25", "c45:weight=2,confidence=25"},
    {"c45-m40-c5", "c45:weight=40,confidence=5"},
};

// Models of several collectives at once.
constexpr ComparedFitter kCombined[] = {
    {"c45-m2-c25", "c45:weight=2,confidence=25"},
    {"c45-m20-c5", "c45:weight=20,confidence=5"},
};

FittedModel fit_model(const std::string& name, const std::string& fitter,
                      const std::vector<Timings>& timings, bool deploy) {
  const model::Fitter parsed = model::parse_fitter(fitter);
  return {name, parsed.name(), model::fit_and_judge(parsed, timings), 0, deploy};
}

// Writes one map, or one for each placement.
void write_maps(const TuningRequest& request, const Timings& timings, Fitted& result) {
  const auto write = [&](std::uint64_t ranks_per_node, const Timings& placed) {
    result.maps.push_back({ranks_per_node, make_decision_map(placed)});
    write_file(request.folder / fmt::format("{}{}-map.csv", name(timings.collective),
                                            placement_suffix(ranks_per_node)),
               map_csv(result.maps.back().map));
  };
  if (!has_several_placements(timings)) return write(0, timings);
  for (const std::uint64_t ranks_per_node : placements_of(timings))
    write(ranks_per_node, select_placement(timings, ranks_per_node));
}

// The collectives that have the portable algorithm `binary`, as bcast and reduce: their methods
// have the same names, so one tree can serve every one of them (2006, 5.2).
std::vector<Timings> sharing_names(const std::vector<Timings>& timings) {
  std::vector<Timings> sharing;
  std::ranges::copy_if(timings, std::back_inserter(sharing), [](const Timings& candidate) {
    return std::ranges::count(candidate.methods, Method{"binary", 0}) > 0;
  });
  return sharing;
}

}  // namespace

Fitted fit_models(const TuningRequest& request, Measured measured) {
  Fitted result{std::move(measured), {}, {}};
  for (const Timings& timings : result.timings) {
    const std::string collective(name(timings.collective));
    write_maps(request, timings, result);
    result.fitted.push_back(
        fit_model(collective, model::deployed_fitter(request.caution), {timings}, true));
    for (const ComparedFitter& compared : kCompared) {
      if (compared.needs_one_placement && has_several_placements(timings)) continue;
      result.fitted.push_back(fit_model(fmt::format("{}-{}", collective, compared.name),
                                        compared.fitter, {timings}, false));
    }
  }
  if (const std::vector<Timings> sharing = sharing_names(result.timings); sharing.size() > 1) {
    std::string names;
    for (const Timings& timings : sharing)
      names += (names.empty() ? "" : "+") + std::string(name(timings.collective));
    for (const ComparedFitter& combined : kCombined)
      result.fitted.push_back(
          fit_model(fmt::format("{}-{}", names, combined.name), combined.fitter, sharing, false));
  }
  if (result.undecided.empty()) return result;
  for (FittedModel& fitted : result.fitted) {
    if (!fitted.deploy) continue;
    const Timings& timings = result.timings_of(fitted);
    fitted.model = model::rules_model(fitted.model.origin,
                                      model::one_leaf(timings.collective, library_default()));
    model::judge_on_training_points(fitted.model, {timings});
  }
  return result;
}

const Timings& Fitted::timings_of(const FittedModel& one_collective) const {
  return *std::ranges::find(timings, one_collective.model.origin.collectives.front(),
                            &Timings::collective);
}

bool Fitted::deploys(const FittedModel& candidate) const {
  return candidate.deploy &&
         evaluate::is_deployed(
             [&](const Instance& instance) { return candidate.model.decide(instance); },
             timings_of(candidate));
}

bool Fitted::deploys_anything() const {
  return std::ranges::any_of(fitted, [&](const FittedModel& model) { return deploys(model); });
}

evaluate::Comparison Tuning::compare(const Timings& timings) const {
  evaluate::Comparison comparison = evaluate::compare_baselines(timings, default_name);
  for (const FittedModel& row : fitted) {
    if (std::ranges::count(row.model.origin.collectives, timings.collective) == 0) continue;
    const std::string detail = row.deploy && !deploys(row)
                                   ? "the library's own choice everywhere"
                                   : fmt::format("{}{} leaves", row.deploy ? "to deploy, " : "",
                                                 row.model.statistics.shape.leaves);
    comparison.rows.push_back({row.name, detail, model::penalty_points(timings, row.model)});
  }
  return comparison;
}

Tuning tune(const TuningRequest& request, const measure::Driver& driver) {
  Verified verified = verify_models(request, fit_models(request, measure_cells(request, driver)));
  if (verified.rounds_left > 0) return {std::move(verified)};
  return write_deployed(request, std::move(verified));
}

}  // namespace colltree::deploy
