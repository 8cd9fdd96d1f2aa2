// SPDX-License-Identifier: BSD-3-Clause
#include "cli/tune_summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "cli/fit_input.h"
#include "cli/loaded_models.h"
#include "deploy/live_check.h"
#include "deploy/tuning.h"
#include "evaluate/comparison.h"
#include "model/expectation.h"
#include "timings/decision_map.h"

namespace colltree::cli {

namespace {

namespace fs = std::filesystem;

// "2..8", "4"
std::string range_text(const std::vector<Instance>& instances, std::uint64_t Instance::*size) {
  const auto [least, most] = std::ranges::minmax(instances, {}, size);
  if (least.*size == most.*size) return fmt::to_string(least.*size);
  return fmt::format("{}..{}", least.*size, most.*size);
}

class TuningSummary {
 public:
  TuningSummary(const TunedIn& in, const deploy::Tuning& tuning,
                const std::vector<std::string>& verdict)
      : in_(in), tuning_(tuning), verdict_(verdict) {}

  void print(bool details) const {
    const bool deploys = tuning_.deploys_anything();
    if (!deploys) fmt::print("{}\n", join(verdict_, "\n"));
    measure::CampaignOutcome outcome = tuning_.outcome;
    outcome.expected_penalty.reset();  // of the best known; what is deployed has its own below
    fmt::print("\n{} ({}, {}): {}\n", tuning_.system.name, tuning_.system.provenance,
               tuning_.system.mpi, measure::outcome_text(outcome));
    if (details) {
      print_details();
    } else {
      fmt::print("{}: holds the profile, models and files; --details prints all figures\n",
                 in_.folder);
    }
    if (deploys) fmt::print("\n{}\n", join(verdict_, "\n"));
  }

  Json json() const {
    Json collectives = Json::array();
    for (const Timings& timings : tuning_.timings)
      collectives.push_back(evaluate::comparison_json(tuning_.compare(timings)));
    Json models = Json::array();
    for (const deploy::FittedModel& fitted : tuning_.fitted) {
      models.push_back({{"name", fitted.name},
                        {"kind", fitted.model.kind},
                        {"deploy", fitted.deploy},
                        {"model", (folder() / (fitted.name + ".json")).string()},
                        {"source", (folder() / (fitted.name + ".c")).string()},
                        {"source_bytes", fitted.c_bytes},
                        {"statistics", model::to_json(fitted.model.statistics)}});
    }
    return {{"system", tuning_.system.name},
            {"provenance", tuning_.system.provenance},
            {"mpi", tuning_.system.mpi},
            {"profile", profile_path()},
            {"cells", tuning_.outcome.wanted},
            {"predicted", tuning_.outcome.predicted},
            {"stopped", tuning_.outcome.stopped},
            {"undecided", tuning_.undecided},
            {"failed", tuning_.outcome.failed},
            {"collectives", collectives},
            {"models", models},
            {"rules", rules_json()},
            {"rules_notes", tuning_.rules_notes},
            {"run_time_model", tuning_.run_time_file},
            {"verified", verified_json()},
            {"sessions", tuning_.sessions},
            {"beyond", beyond_json()},
            {"answer", evaluate::answer_table(deployed_answer(tuning_)).json()},
            {"verdict", verdict_}};
  }

 private:
  fs::path folder() const { return in_.folder; }

  const deploy::FittedModel& deployed(const Timings& timings) const {
    return *std::ranges::find_if(tuning_.fitted, [&](const deploy::FittedModel& fitted) {
      return fitted.deploy && fitted.model.origin.collectives.front() == timings.collective;
    });
  }

  void print_details() const {
    for (const Timings& timings : tuning_.timings) print_collective(timings);
    if (!tuning_.verified.empty()) print_verified();
    print_beyond();
    print_columns();
    fmt::print("\nFiles in {} (docs/tasks/tuning.md):\n", folder().string());
    if (!tuning_.run_time_file.empty())
      fmt::print("  tuned.cdt            all models to deploy, for any MPI program\n");
    if (tuning_.rules_target != nullptr) print_rules();
  }

  void print_collective(const Timings& timings) const {
    fmt::print("\n");
    for (const deploy::TunedMap& tuned : tuning_.maps) {
      if (tuned.map.collective == timings.collective) print_best_methods(tuned);
    }
    const evaluate::Comparison comparison = tuning_.compare(timings);
    fmt::print("{}", evaluate::comparison_text(comparison, evaluate::Detail::kAll));
    print_why_above_fixed(timings, comparison);
    if (timings.one_order) print_order(*timings.one_order);
    for (const std::string& text : model::statements(deployed(timings).model))
      fmt::print("{}: {}\n", name(timings.collective), text);
  }

  // A reader expects the tree to lose less than one method, at least where both were measured.
  void print_why_above_fixed(const Timings& timings, const evaluate::Comparison& comparison) const {
    const auto mean_of = [&](std::string_view chooser) {
      const auto row =
          std::ranges::find(comparison.rows, chooser, &evaluate::ComparisonRow::chooser);
      return row == comparison.rows.end() ? 0 : summarize(row->points).mean;
    };
    if (mean_of(name(timings.collective)) <= mean_of("best fixed")) return;
    const model::Model& model = deployed(timings).model;
    const auto kept = std::ranges::count_if(timings.instances, [&](const Instance& instance) {
      return is_library_default(model.decide(instance));
    });
    fmt::print("  The tree loses more on these times than one method everywhere: {}\n",
               kept == 0 ? "it is for the sizes between the measured ones, too."
                         : fmt::format("it leaves {} of {} instances to the library, where no gain "
                                       "is certain.",
                                       kept, timings.instances.size()));
  }

  void print_columns() const {
    fmt::print("\nPenalties are on the training grid. {}\n", kComparisonHelp);
    if (tuning_.outcome.predicted == 0) return;
    fmt::print(
        "Of {} cells {} were not measured but predicted (docs/tasks/tuning.md). 'predicted' counts "
        "the instances whose\nfigures rest on such times: they are expectations, and the intervals "
        "hold their uncertainty.\n",
        tuning_.outcome.wanted, tuning_.outcome.predicted);
  }

  void print_best_methods(const deploy::TunedMap& tuned) const {
    const DecisionMap& map = tuned.map;
    constexpr std::size_t kMostShown = 8;
    const std::vector<MethodShare> shares = method_shares(map);
    const auto cells = static_cast<double>(map.best.size());
    const auto predicted =
        static_cast<std::size_t>(std::ranges::count(map.origin, CellOrigin::kPredicted));
    fmt::print("{}{}: best methods over {} instances{}:", name(map.collective),
               tuned.ranks_per_node == 0 ? "" : fmt::format(", {} a node", tuned.ranks_per_node),
               map.best.size(), evaluate::of_them_predicted(predicted));
    for (std::size_t i = 0; i < shares.size() && i < kMostShown; ++i) {
      fmt::print("{} {} {:.0f} %", i == 0 ? "" : ",", map.methods[shares[i].method].label(),
                 100 * static_cast<double>(shares[i].cells) / cells);
    }
    fmt::print("{}\n", shares.size() > kMostShown
                           ? fmt::format(", {} more", shares.size() - kMostShown)
                           : "");
  }

  void print_verified() const {
    fmt::print(
        "\nVerified{}: the library's own choice and the models in turn, at a sample of where "
        "they differ\n{:<20} {:<24} {:>9} {:>17} {:>9} {:>7}  95 % interval\n",
        tuning_.sessions > 1 ? fmt::format(" in {} sessions", tuning_.sessions) : "", "collective",
        "method", "ranks", "bytes", "instances", "gain");
    for (const deploy::VerifiedRegion& region : tuning_.verified) {
      if (region.instances.empty()) {
        fmt::print("{:<20} {:<24} could not be measured: {}\n", name(region.collective),
                   region.method.label(), deploy::name(region.verdict));
        continue;
      }
      fmt::print("{:<20} {:<24} {:>9} {:>17} {:>9} {:>7.3f}  {:.3f} to {:.3f}  {}{}\n",
                 name(region.collective), region.method.label(),
                 range_text(region.instances, &Instance::communicator_size),
                 range_text(region.instances, &Instance::message_size), region.instances.size(),
                 region.gain.factor, region.gain.interval.low, region.gain.interval.high,
                 deploy::name(region.verdict),
                 region.slower == 0 ? "" : fmt::format(" ({} slower)", region.slower));
    }
    fmt::print("gain: time of the library's own choice / time under the model\n");
  }

  void print_beyond() const {
    for (const deploy::BeyondPrediction& prediction : tuning_.beyond) {
      fmt::print(
          "\n{}: extrapolated from {} to {} ranks by loggp, nothing was measured there (95 % "
          "intervals "
          "of the times: a factor\nof {:.2g}); the methods for {} ranks would lose {:.2g} % on "
          "average there, by the same prediction\n",
          name(prediction.collective), prediction.measured_ranks, prediction.most_ranks,
          prediction.interval_factor, prediction.measured_ranks,
          100 * prediction.penalty_of_nearest);
    }
  }

  std::string measured_sizes() const {
    std::set<std::uint64_t> sizes;
    for (const Timings& timings : tuning_.timings) {
      for (const Instance& instance : timings.instances) sizes.insert(instance.communicator_size);
    }
    return fmt::format("{}", fmt::join(sizes, ","));
  }

  // The rules, and how to prove them.
  void print_rules() const {
    fmt::print("  rules.json           the models to deploy as one, and as the library's rules:\n");
    for (const auto& [ranks_per_node, files] : tuning_.rules) {
      fmt::print("  {}{}\n", fs::path(files[0].name).filename().string(),
                 ranks_per_node == 0
                     ? ""
                     : fmt::format("  for jobs with {} ranks on each node", ranks_per_node));
      if (const fs::path beside = rules::companion_of(files[0].name); fs::exists(beside))
        fmt::print("  {}  loaded with it, copy both\n", beside.filename().string());
      for (std::size_t i = 1; i < files.size(); ++i)
        fmt::print("  {}  loaded beside it: {}\n", fs::path(files[i].name).filename().string(),
                   files[i].target->summary);
    }
    for (const std::string& line : tuning_.deciders) fmt::print("    who decides: {}\n", line);
    for (const std::string& note : tuning_.rules_notes) fmt::print("    note: {}\n", note);
    if (!tuning_.deploys_anything()) return;
    const std::vector<rules::RulesFile>& files = tuning_.rules.rbegin()->second;
    fmt::print("\nTo see that the library obeys them, and what they gain:\n");
    const std::string launched =
        fmt::format("--launcher '{}'{}", in_.launcher, in_.mpi.empty() ? "" : " --mpi " + in_.mpi);
    for (const rules::RulesFile& file : files) {
      if (deploy::has_witness(*file.target))
        fmt::print("  colltree check {} --for {} --live {} --communicator-sizes {}\n", file.name,
                   file.target->name, launched, measured_sizes());
    }
    fmt::print("  colltree verify --rules {}{} {} --communicator-sizes {}\n", files[0].name,
               files.size() > 1 ? " --rules " + files[1].name : "", launched, measured_sizes());
  }

  Json rules_json() const {
    if (tuning_.rules.empty()) return "";
    if (tuning_.rules.size() == 1) return tuning_.rules.begin()->second[0].name;
    Json files = Json::object();
    for (const auto& [ranks_per_node, loaded] : tuning_.rules)
      files[std::to_string(ranks_per_node)] = loaded[0].name;
    return files;
  }

  // Beside the models, or of both sources above them.
  std::string profile_path() const {
    return in_.profile.empty() ? (folder() / "profile.db").string() : in_.profile;
  }

  Json beyond_json() const {
    return json_list(tuning_.beyond, [](const deploy::BeyondPrediction& prediction) {
      return Json{{"collective", name(prediction.collective)},
                  {"measured_ranks", prediction.measured_ranks},
                  {"most_ranks", prediction.most_ranks},
                  {"model", "loggp"},
                  {"interval_factor", prediction.interval_factor},
                  {"penalty_of_nearest", prediction.penalty_of_nearest}};
    });
  }

  Json verified_json() const {
    Json regions = Json::array();
    for (const deploy::VerifiedRegion& region : tuning_.verified) {
      Json instances = Json::array();
      for (const Instance& instance : region.instances)
        instances.push_back({instance.communicator_size, instance.message_size});
      regions.push_back({{"collective", name(region.collective)},
                         {"method", region.method.label()},
                         {"instances", instances},
                         {"slower", region.slower},
                         {"gain", region.gain.factor},
                         {"low", region.gain.interval.low},
                         {"high", region.gain.interval.high},
                         {"verdict", deploy::name(region.verdict)}});
    }
    return regions;
  }

  const TunedIn& in_;
  const deploy::Tuning& tuning_;
  const std::vector<std::string>& verdict_;
};

}  // namespace

void print_tuning(const TunedIn& in, const deploy::Tuning& tuning,
                  const std::vector<std::string>& verdict, bool details) {
  TuningSummary(in, tuning, verdict).print(details);
}

Json tuning_json(const TunedIn& in, const deploy::Tuning& tuning,
                 const std::vector<std::string>& verdict) {
  return TuningSummary(in, tuning, verdict).json();
}

}  // namespace colltree::cli
