// SPDX-License-Identifier: BSD-3-Clause
// `colltree tune` without its command line: one folder with everything from samples to what a
// cluster deploys. The profile in it grows; all other files are written anew.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "deploy/beyond.h"
#include "deploy/verification.h"
#include "evaluate/comparison.h"
#include "measure/campaign_run.h"
#include "model/fitter.h"
#include "model/model.h"
#include "rules/rule_target.h"
#include "timings/decision_map.h"

namespace colltree::deploy {

// A model that was fitted and stored as NAME.json and NAME.c.
struct FittedModel {
  std::string name;    // "bcast-quadtree3"; "bcast": the one to deploy
  std::string fitter;  // that found it, before it was verified
  model::Model model;
  std::size_t c_bytes = 0;
  bool deploy = false;
};

struct TunedMap {
  std::uint64_t ranks_per_node = 0;  // 0: there is one placement
  DecisionMap map;
};

struct Tuning {
  measure::CampaignOutcome outcome;
  profile::SystemInfo system;
  std::string default_name;            // of the MPI library whose own choice was measured
  std::vector<Timings> timings;        // by collective
  std::vector<Collective> unmeasured;  // a budget ended first: they are left to the library
  std::vector<TunedMap> maps;          // by collective, and by placement where there are several
  std::vector<FittedModel> fitted;
  const rules::RuleTarget* rules_target = nullptr;  // nullptr: no rules were written
  RulesArm rules;  // files of the library whose own algorithms were measured
  std::vector<std::string> rules_notes;
  std::vector<std::string> deciders;  // by collective, where coll/han is asked (library_reasons.h)
  std::string run_time_file;          // "": none, because rules were written
  // What was verified on the machine, of all collectives; no regions: nothing was.
  std::vector<VerifiedRegion> verified;
  // Over the verified instances where what is deployed still has a method; none: there are none.
  std::optional<evaluate::Gain> kept_gain;
  std::size_t kept_instances = 0;
  std::string verification_file;
  std::size_t sessions = 1;     // in which it was verified
  std::size_t rounds_left = 0;  // of later sessions; until then nothing new is written to deploy
  std::vector<BeyondPrediction> beyond;
  // Why the times decide nothing, and so nothing is deployed; "": they do.
  std::string undecided;

  // Those that a model of one collective was fitted to.
  const Timings& timings_of(const FittedModel& one) const;
  // Whether a model to deploy takes another method than the library's own choice anywhere measured;
  // whether any does.
  bool deploys(const FittedModel& one) const;
  bool deploys_anything() const;
  // The default, the best fixed method, the models of the collective: all, or what is deployed.
  evaluate::Comparison compare(const Timings& of, bool deployed_only = false) const;
};

// Where most cells of the system were disturbed the others were, too: what else ran there, or fewer
// cores than ranks, made the times, which decide nothing. "": they decide.
std::string why_undecided(const profile::Profile& profile, const std::string& system);

struct TuningRequest {
  measure::CampaignRequest campaign;
  std::filesystem::path folder;
  std::filesystem::path profile = "";  // "": profile.db in the folder
  double caution = model::OptimalOptions{}.caution;
  // On more ranks than were measured; none: the library's own choice on real machines, else as on
  // the most that were measured.
  std::optional<Beyond> beyond;
  // Only methods that add up in one order (timings.h: in_one_order); the portable ones.
  bool reproducible = false;
  // What starts the jobs in which the models to deploy are verified; nullptr: they are not.
  const measure::JobStarter* verifier = nullptr;
  // The calls of tune() that share the rounds of the verification; each is a session.
  std::size_t sessions = 1;
  // Called once when the folder is there and nothing can be refused any more.
  std::function<void()> about_to_measure = nullptr;
};

// Measures what the folder does not hold yet, fits, writes. The models to deploy are what
// model/fitter.h fits to be deployed, verified (verification.h). What cannot be measured is refused
// before the folder is made. Throws Error.
Tuning tune(const TuningRequest& request, const measure::Driver& driver);

}  // namespace colltree::deploy
