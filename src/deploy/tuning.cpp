// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/error.h"
#include "base/file.h"
#include "emit/emitter.h"
#include "evaluate/fit_statistics.h"
#include "model/deployed_fitter.h"
#include "model/kinds/rules.h"
#include "model/model_file.h"
#include "model/united_trees.h"
#include "profile/load_timings.h"
#include "timings/map_output.h"

namespace colltree {

namespace {

namespace fs = std::filesystem;

struct TunedModel {
  const char* name;    // of its files: bcast-quadtree3.json
  const char* fitter;  // model/fitter.h
};

// Beside the one to deploy, to compare with.
constexpr TunedModel kModels[] = {
    {"quadtree3", "quadtree:max_depth=3"},
    {"quadtree", "quadtree"},
    {"c45-m2-c25", "c45:weight=2,confidence=25"},
    {"c45-m40-c5", "c45:weight=40,confidence=5"},
};

constexpr TunedModel kCombined[] = {
    {"c45-m2-c25", "c45:weight=2,confidence=25"},
    {"c45-m20-c5", "c45:weight=20,confidence=5"},
};

class Tuner {
 public:
  Tuner(const TuningRequest& request, const Driver& driver) : request_(request), driver_(driver) {}

  Tuning run() {
    tuning_.default_name = driver_.default_name();
    // What cannot be must not leave a folder, nor measure for nothing.
    static_cast<void>(plan_cells(request_.campaign, driver_));
    if (request_.campaign.library) tuning_.rules_target = &rule_target_of(driver_.system().mpi);
    make_folder();
    measure();
    fit_each();
    fit_combined();
    if (request_.campaign.library) {
      write_rules();
    } else {
      write_run_time_model();
    }
    return std::move(tuning_);
  }

 private:
  void make_folder() {
    std::error_code error;
    fs::create_directories(request_.folder, error);
    if (error)
      throw Error(fmt::format("{}: cannot make this folder: {}", request_.folder.string(),
                              error.message()));
  }

  void measure() {
    Profile profile(request_.folder / "profile.db", OpenMode::kWrite);
    tuning_.outcome = run_campaign(request_.campaign, driver_, profile);
    if (tuning_.outcome.measured == 0 && tuning_.outcome.already == 0)
      throw Error("no cell could be measured; see above");
    tuning_.system = profile.require_system(tuning_.outcome.system);
    for (const Collective collective : request_.campaign.collectives) {
      tuning_.timings.push_back(load_timings(profile, tuning_.system.name, collective));
    }
  }

  void store(const std::string& name, Model model, bool deploy) {
    save_model(model, request_.folder / (name + ".json"));
    EmitOptions emit;
    emit.prefix = "colltree_" + name;
    std::ranges::replace_if(
        emit.prefix, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    const std::string source = find_emitter("c").emit(model, emit);
    write_file(request_.folder / (name + ".c"), source);
    tuning_.fitted.push_back({name, std::move(model), source.size(), deploy});
  }

  void fit_each() {
    for (const Timings& timings : tuning_.timings) {
      const std::string collective(name(timings.collective));
      tuning_.maps.push_back(make_decision_map(timings));
      write_file(request_.folder / (collective + "-map.csv"), map_csv(tuning_.maps.back()));
      store(collective,
            fit_and_judge(parse_fitter(deployed_fitter(timings, request_.least_gain)), {timings}),
            true);
      for (const TunedModel& tuned : kModels) {
        store(fmt::format("{}-{}", collective, tuned.name),
              fit_and_judge(parse_fitter(tuned.fitter), {timings}), false);
      }
    }
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
      store(fmt::format("{}-{}", names, tuned.name),
            fit_and_judge(parse_fitter(tuned.fitter), sharing), false);
    }
  }

  // The models to deploy as one.
  Model deployed() const {
    std::vector<RuleTree> trees;
    for (const FittedModel& fitted : tuning_.fitted) {
      if (fitted.deploy) trees.push_back(fitted.model.rules);
    }
    Model model = rules_model(origin_of(tuning_.timings), united(trees));
    judge_on_training_points(model, tuning_.timings);
    return model;
  }

  // The models to deploy as the rules of the library whose algorithms were measured.
  void write_rules() {
    const std::string target = tuning_.rules_target->name;
    const Model model = deployed();
    save_model(model, request_.folder / "rules.json");
    EmitOptions emit;
    emit.timings = &tuning_.timings;
    emit.notes = &tuning_.rules_notes;
    write_file(request_.folder / ("rules." + target), find_emitter(target).emit(model, emit));
    tuning_.rules_file = (request_.folder / ("rules." + target)).string();
  }

  void write_run_time_model() {
    tuning_.run_time_file = (request_.folder / "tuned.cdt").string();
    write_file(tuning_.run_time_file, find_emitter("cdt").emit(deployed(), {}));
  }

  const TuningRequest& request_;
  const Driver& driver_;
  Tuning tuning_;
};

}  // namespace

Comparison Tuning::compare(const Timings& of) const {
  Comparison comparison = compare_baselines(of, default_name);
  for (const FittedModel& one : fitted) {
    if (std::ranges::count(one.model.origin.collectives, of.collective) == 0) continue;
    const auto leaves = one.model.statistics.shape.leaves;
    comparison.rows.push_back({one.name,
                               fmt::format("{}{} leaves", one.deploy ? "to deploy, " : "", leaves),
                               penalty_points(of, one.model)});
  }
  return comparison;
}

Tuning tune(const TuningRequest& request, const Driver& driver) {
  return Tuner(request, driver).run();
}

}  // namespace colltree
