// SPDX-License-Identifier: BSD-3-Clause
// `colltree tune` without its command line: one folder with everything from samples to what a
// cluster deploys. Four values, each made of the one before, hold what is known after each step:
// Measured, Fitted, Verified, Tuning. The profile in the folder grows; all other files are written
// anew.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "deploy/beyond.h"
#include "deploy/setting_choice.h"
#include "deploy/verification.h"
#include "evaluate/comparison.h"
#include "measure/campaign_run.h"
#include "model/fitter.h"
#include "model/model.h"
#include "rules/rule_target.h"
#include "timings/decision_map.h"

namespace colltree::deploy {

// A model that is stored as NAME.json and NAME.c.
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

struct Measured {
  measure::CampaignOutcome outcome;
  profile::SystemInfo system;
  std::string default_name;            // of the MPI library whose own choice was measured
  std::vector<Timings> timings;        // by collective
  std::vector<Collective> unmeasured;  // a budget ended first: they are left to the library
  // The library whose own algorithms were measured; nullptr: ours were, and no rules are written.
  const rules::RuleTarget* rules_target = nullptr;
  std::vector<std::string> deciders;  // by collective, where coll/han is asked (library_reasons.h)
  // Why the times decide nothing, and so nothing is deployed; "": they do.
  std::string undecided;
  // Where settings were measured: the timings are those under the chosen one.
  std::optional<SettingChoice> setting;
};

struct Fitted : Measured {
  std::vector<TunedMap> maps;  // by collective, and by placement where there are several
  std::vector<FittedModel> fitted;

  // The timings that a model of one collective was fitted to.
  const Timings& timings_of(const FittedModel& one_collective) const;
  // True if this model is to be deployed and takes another method than the library's own choice
  // somewhere measured; true if any does.
  bool deploys(const FittedModel& candidate) const;
  bool deploys_anything() const;
};

struct Verified : Fitted {
  std::vector<VerifiedRegion> verified;  // of all collectives; empty: nothing was verified
  // Over the verified instances where what is deployed still has a method; none: there are none.
  std::optional<evaluate::Gain> kept_gain;
  std::size_t kept_instances = 0;
  std::size_t sessions = 1;     // in which it was verified
  std::size_t rounds_left = 0;  // of later sessions; until then nothing new is written to deploy
};

// The last of the four values: what was deployed.
struct Tuning : Verified {
  RulesArm rules;  // files of the library whose own algorithms were measured
  std::vector<std::string> rules_notes;
  std::string run_time_file;  // "": none, because rules were written
  std::vector<BeyondPrediction> beyond;
  std::vector<std::string> setting_files;  // that load the chosen setting

  // Rows: the default, the best fixed method, the models of the collective.
  evaluate::Comparison compare(const Timings& timings) const;
};

struct TuningRequest {
  measure::CampaignRequest campaign;
  std::filesystem::path folder;
  std::filesystem::path profile = "";  // "": profile.db in the folder
  double caution = model::OptimalOptions{}.caution;
  std::optional<Beyond> beyond;  // none: usual_beyond says it
  // Takes only methods that add up in one order (timings.h: in_one_order); portable ones are known.
  bool reproducible = false;
  // Starts the jobs in which the models to deploy are verified; nullptr: they are not.
  measure::JobStarter* verifier = nullptr;
  // The number of calls of tune() that share the rounds of the verification; each is a session.
  std::size_t sessions = 1;
  std::vector<CallCount> calls = {};  // of a program, by which the setting is chosen; none: by size
  // Called once when the folder is there and nothing can be refused any more.
  std::function<void()> about_to_measure = nullptr;

  std::filesystem::path profile_path() const {
    return profile.empty() ? folder / "profile.db" : profile;
  }
};

// Measures the cells that the profile does not hold yet. What cannot be measured or extended beyond
// the measured ranks is refused before the folder is made. Throws Error.
Measured measure_cells(const TuningRequest& request, const measure::Driver& driver);

// Fits the models to deploy (model/fitter.h) and those to compare with; writes the decision maps.
Fitted fit_models(const TuningRequest& request, Measured measured);

// Gives back to the library what was not seen to be faster (verification.h). Continues the rounds
// that the folder holds of the same models.
Verified verify_models(const TuningRequest& request, Fitted fitted);

// "-ppn4" in names of files that are for one placement; "" for 0 ranks per node, which is all.
std::string placement_suffix(std::uint64_t ranks_per_node);

// The models to deploy as one.
model::Model deployed_model(const Fitted& fitted);

// A rules file before it is written, of the library whose own algorithms were measured.
struct DeployedRules {
  std::uint64_t ranks_per_node = 0;  // 0: it is for all placements
  const rules::RuleTarget* target;
  std::string name;  // "rules-ppn4.openmpi-5.0"
  std::string text;
  std::string companion;  // the text of a second file that is loaded with it; "": none
  std::vector<std::string> notes;
};
std::vector<DeployedRules> deployed_rules(const Fitted& fitted, const model::Model& model);

// Extends the models to deploy beyond the measured ranks and writes all files.
Tuning write_deployed(const TuningRequest& request, Verified verified);

// All four steps; the last one is left out while rounds of the verification are missing.
Tuning tune(const TuningRequest& request, const measure::Driver& driver);

}  // namespace colltree::deploy
