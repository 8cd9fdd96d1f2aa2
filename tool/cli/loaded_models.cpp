// SPDX-License-Identifier: BSD-3-Clause
#include "cli/loaded_models.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "evaluate/comparison.h"
#include "evaluate/points.h"
#include "model/model.h"
#include "parametric/point_to_point.h"
#include "surrogate/complete.h"

namespace colltree::cli {

const char* const kComparisonHelp =
    "Columns: performance penalty in % (mean, median, 95th percentile, maximum) and the share of "
    "instances above\n5, 10, 50 %, in %; 'no run': instances where the choice has no time, which "
    "are in no other figure but 'charged':\nthe mean with the slowest method's time there, to "
    "compare rows by; 'beats':\ninstances where the library's own choice is faster than "
    "every method (its penalty is 0 there); 'vs def':\ngeometric mean of the time against the "
    "library's own choice in %, below 0 is faster; 'slower': share of the instances more than 2 % "
    "slower than it; 'mean 95 %': bootstrap\ninterval of the mean; "
    "'geomean': geometric mean of the times beside the best, minus 1, which no\noutlier owns; "
    "'predicted': "
    "instances where the time of the choice or of the best was not measured but\npredicted: the "
    "figures there are expectations, and the interval holds the predictions' uncertainty.";

evaluate::Detail detail_of(bool details) {
  return details ? evaluate::Detail::kAll : evaluate::Detail::kShort;
}

bool LoadedModel::decides(Collective collective) const {
  return std::ranges::count(function->origin.collectives, collective) > 0;
}

std::vector<LoadedModel> load_models(const std::vector<std::string>& paths) {
  std::vector<LoadedModel> models;
  for (const std::string& path : paths)
    models.push_back({path, std::make_shared<model::Model>(model::load_model(path))});
  return models;
}

std::vector<evaluate::Comparison> compare_models(const SystemTimings& loaded,
                                                 const std::vector<LoadedModel>& models) {
  std::vector<evaluate::Comparison> comparisons;
  for (const Timings& timings : loaded.timings) {
    evaluate::Comparison comparison = evaluate::compare_baselines(timings, loaded.system.mpi);
    for (const LoadedModel& model : models) {
      if (!model.decides(timings.collective)) continue;
      comparison.rows.push_back(
          {model.path, model.function->kind, model::penalty_points(timings, *model.function)});
    }
    comparisons.push_back(std::move(comparison));
  }
  return comparisons;
}

void keep_what_the_model_knows(const LoadedModel& model, SystemTimings& loaded) {
  std::erase_if(loaded.timings,
                [&](const Timings& timings) { return !model.decides(timings.collective); });
  if (!loaded.timings.empty()) return;
  throw Error(fmt::format("{}: decides for {} only, which is not among the timings asked for",
                          model.path, join(names_of(model.function->origin.collectives), ", ")));
}

std::string describe(const profile::SystemInfo& system) {
  return fmt::format("{} ({}{}{})", system.name, system.provenance, system.mpi.empty() ? "" : ", ",
                     system.mpi);
}

evaluate::ContestOptions HeldOutOptions::parsed() const {
  const bool none = held_out.empty() || held_out == "none";
  return {none ? std::vector<HeldOut>() : parse_held_out(held_out), folds};
}

CLI::Option* add_held_out_options(CLI::App& app, HeldOutOptions& options) {
  CLI::Option* held_out =
      app.add_option("--held-out", options.held_out,
                     "also compute the penalty on held-out points, with models fitted to "
                     "the others; what is held out, comma-separated: "
                     "communicator_sizes, message_sizes, blocks; or none")
          ->capture_default_str();
  app.add_option("--folds", options.folds, "number of folds, each of them held out in turn")
      ->transform(whole_number({2, 1000}))
      ->capture_default_str();
  return held_out;
}

namespace {

std::vector<Timings> point_to_point_timings(const ProfileOptions& options,
                                            const std::string& system) {
  const profile::Profile profile(options.profile, profile::OpenMode::kRead);
  std::vector<Timings> found;
  for (const Collective collective : parametric::point_to_point_collectives()) {
    if (auto timings = surrogate::complete(
            profile::find_timings(profile, system, collective, load_options(options))))
      found.push_back(std::move(*timings));
  }
  return found;
}

Json parameters_json(const profile::SystemInfo& system, const parametric::NetworkParameters& p) {
  return {{"system", system.name},
          {"provenance", system.provenance},
          {"mpi", system.mpi},
          {"loggp",
           {{"L_us", p.loggp.latency_us},
            {"o_us", p.loggp.overhead_us},
            {"g_us", p.loggp.gap_us},
            {"G_us_per_byte", p.loggp.byte_gap_us_per_byte}}},
          {"gamma_us_per_byte", p.gamma_us_per_byte ? Json(*p.gamma_us_per_byte) : Json()}};
}

std::string bandwidth_text(double us_per_byte) {
  return us_per_byte > 0 ? fmt::format(" ({:.4g} MB/s)", 1 / us_per_byte) : "";
}

void print_parameters(const profile::SystemInfo& system, const parametric::NetworkParameters& p) {
  fmt::print("{}\n", describe(system));
  fmt::print("  loggp    L {:.4g} us, o {:.4g} us, g {:.4g} us, G {:.4g} us/B{}\n",
             p.loggp.latency_us, p.loggp.overhead_us, p.loggp.gap_us, p.loggp.byte_gap_us_per_byte,
             bandwidth_text(p.loggp.byte_gap_us_per_byte));
  fmt::print("  folding  gamma {}\n", p.gamma_us_per_byte
                                          ? fmt::format("{:.4g} us/B", *p.gamma_us_per_byte)
                                          : "not known: no linear reduce was measured");
}

}  // namespace

MeasuredNetwork::MeasuredNetwork(ProfileOptions options, profile::SystemInfo system)
    : options_(std::move(options)), system_(std::move(system)) {}

parametric::ParameterSource MeasuredNetwork::source() const {
  return {system_.name, system_.provenance, options_.profile};
}

const parametric::NetworkParameters& MeasuredNetwork::parameters() const {
  const std::lock_guard lock(mutex_);
  if (!parameters_)
    parameters_ =
        parametric::estimate_parameters(point_to_point_timings(options_, system_.name), source());
  return *parameters_;
}

parametric::Network MeasuredNetwork::network_of(Collective collective) const {
  return parametric::network_for(parameters(), collective, source());
}

void show_network_parameters(const ProfileOptions& options) {
  std::vector<profile::SystemInfo> systems;
  {
    const profile::Profile profile(options.profile, profile::OpenMode::kRead);
    systems =
        options.system ? std::vector{profile.require_system(options.system)} : profile.systems();
  }
  if (!options.json && systems.empty()) fmt::print("{}: no timings yet\n", options.profile);
  Json json = Json::array();
  for (const profile::SystemInfo& system : systems) {
    const parametric::NetworkParameters parameters = MeasuredNetwork(options, system).parameters();
    if (options.json) {
      json.push_back(parameters_json(system, parameters));
    } else {
      print_parameters(system, parameters);
    }
  }
  if (options.json) print_results("colltree/network/1", json);
}

}  // namespace colltree::cli
