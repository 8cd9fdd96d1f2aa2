// SPDX-License-Identifier: BSD-3-Clause
// `colltree verify doctor`: a minute of probes that check whether the deployed rules still fit this
// machine.
#include "deploy/doctor.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/error.h"
#include "base/input.h"
#include "base/json.h"
#include "base/streams.h"
#include "base/table.h"
#include "cli/command.h"
#include "cli/decision_file.h"
#include "cli/measure_options.h"
#include "coll/catalogue.h"
#include "deploy/side_by_side.h"
#include "measure/grid.h"
#include "rules/openmpi/openmpi_han.h"

namespace colltree::cli {

namespace {

namespace fs = std::filesystem;

struct DoctorOptions {
  std::vector<std::string> rules;
  std::string model;
  std::string launcher;
  std::string mpi;
  std::string against;
  std::string collectives = "all";
  std::uint64_t ranks_per_node = 0;
  SizeList communicator_sizes;
  SizeList message_sizes{"1..64K:x4"};
  std::vector<std::string> settings;
  double time_limit_s = 60;
  bool json = false;

  const std::string& deployed() const { return rules.empty() ? model : rules[0]; }
};

// The installed library decides by its rules files: where the file of coll/han leaves a call to
// coll/tuned or to its own choice, the file of coll/tuned decides.
Decisions decisions_of(const std::vector<DeployedRules>& deployed) {
  const auto loaded = std::make_shared<const std::vector<DeployedRules>>(deployed);
  const auto decides = [loaded](Collective collective) {
    return std::ranges::any_of(*loaded, [&](const DeployedRules& rules_file) {
      return rules_file.rules.find(collective) != nullptr;
    });
  };
  const auto decide = [loaded](const Instance& instance) {
    Method method = library_default();
    for (const auto& [file, rules] : *loaded) {
      if (rules.find(instance.collective) == nullptr) continue;
      Method said = rules::decide(*file.target, rules, instance);
      if (!is_library_default(said) && said.algorithm != rules::kHandedToTuned)
        method = std::move(said);
    }
    return method;
  };
  const bool chooses = std::ranges::any_of(deployed, [](const DeployedRules& rules_file) {
    return !std::ranges::all_of(rules_file.rules.collectives, rules::leaves_all);
  });
  return {decides, decide, "", chooses};
}

// MPICH's rules repeat its own selection where the model that `tune` left beside them has no
// method.
bool model_chooses(const DoctorOptions& options) {
  const fs::path model = fs::absolute(options.rules[0]).parent_path() / "rules.json";
  return !fs::exists(model) || load_decisions(model.string()).chooses;
}

// The file that was named, or the one that `tune` left beside what is deployed.
std::optional<deploy::Reference> find_reference(const DoctorOptions& options) {
  fs::path file = options.against;
  if (file.empty()) {
    file = fs::absolute(options.deployed()).parent_path() / deploy::kVerificationFile;
    if (!fs::exists(file)) return std::nullopt;
  }
  deploy::Reference reference{deploy::read_side_by_side(file.string()), {}};
  const fs::path settings = file.parent_path() / deploy::kSettingsFile;
  if (fs::exists(settings))
    reference.settings = measure::parse_settings(read_file(settings, kMostModelBytes));
  return reference;
}

// Probes are chosen among the instances that were verified, or of the grid that was asked for.
std::vector<Instance> wanted(const DoctorOptions& options,
                             const std::optional<deploy::Reference>& reference) {
  std::vector<Instance> instances;
  std::vector<Collective> collectives;
  if (options.collectives != "all") collectives = parse_collectives(options.collectives);
  if (options.communicator_sizes.empty()) {
    if (!reference)
      throw UsageError(
          "the sizes to examine are not known, because no verification.csv of colltree tune lies "
          "beside the file; give --on verification.csv or --communicator-sizes");
    for (const auto& [instance, method] : reference->log.deployed) {
      if (options.ranks_per_node != 0 && !has_placement(instance, options.ranks_per_node)) continue;
      if (collectives.empty() || std::ranges::count(collectives, instance.collective) > 0)
        instances.push_back(instance);
    }
    return instances;
  }
  if (collectives.empty()) {
    for (const CollectiveInfo& info : all_collectives()) collectives.push_back(info.collective);
  }
  return measure::instances_of(collectives,
                               {options.communicator_sizes.sizes, options.message_sizes.sizes});
}

// A model of a library's own methods is run by its rules.
void require_portable(const std::string& model, Collective collective, const Method& method) {
  if (find_portable_algorithm(collective, method.algorithm) != nullptr) return;
  throw Error(fmt::format(
      "{}: {} is not one of colltree's own methods; name the rules of its library: --rules FILE",
      model, method.label()));
}

// The rules of some libraries are for one placement.
void require_one_placement(const DoctorOptions& options, const rules::RuleTarget& target,
                           const std::optional<deploy::Reference>& reference) {
  if (!reference || options.ranks_per_node != 0 || !options.communicator_sizes.empty()) return;
  if (target.placement == rules::PlacementAxis::kRanksPerNode) return;
  if (!reference->log.tells_placements()) return;
  throw UsageError(
      fmt::format("{} was verified with several placements, and rules of {} are for one: "
                  "choose with --ranks-per-node the one of this file",
                  options.rules[0], target.name));
}

deploy::MethodsArm probes(const DoctorOptions& options, const Decisions& decisions,
                          const std::optional<deploy::Reference>& reference) {
  deploy::MethodsArm methods;
  if (!decisions.chooses) return methods;
  for (const Instance& instance : wanted(options, reference)) {
    if (!decisions.decides(instance.collective)) continue;
    const Method method = decisions.decide(instance);
    if (is_library_default(method)) continue;
    if (options.rules.empty()) require_portable(options.model, instance.collective, method);
    methods[instance] = method;
  }
  return deploy::fewer_probes(methods, deploy::kMostProbes);
}

std::string interval_text(double middle, const Interval& interval) {
  return fmt::format("{:.3f} ({:.3f} to {:.3f})", middle, interval.low, interval.high);
}

// "2.50 -> 2.75" from a verification to now.
std::string change_text(const deploy::Probe& probe, double evaluate::Pair::*time_us) {
  if (!probe.has_reference) return fmt::format("{:.2f}", probe.now.*time_us);
  return fmt::format("{:.2f} -> {:.2f}", probe.then.*time_us, probe.now.*time_us);
}

Table probes_table(const deploy::Examination& examination) {
  Table table({{"collective", "collective", "{:<20}"},
               {"communicator_size", "ranks", " {:>6}"},
               {"message_size", "bytes", " {:>9}"},
               {"method", "method", " {:<24}"},
               {"then", "gain then", " {:<26}"},
               {"gain", "gain now", " {:<26}"},
               {"default_us", "default us", " {:>16}"},
               {"deployed_us", "deployed us", " {:>16}"},
               {"standing", "", "  {}"},
               {"low"},
               {"high"}});
  for (const deploy::Probe& probe : examination.probes) {
    const evaluate::Drift& drift = probe.drift;
    Cell then({}, "not known");
    if (probe.has_reference)
      then = Cell(Json{{"gain", drift.then},
                       {"low", drift.then_interval.low},
                       {"high", drift.then_interval.high},
                       {"default_us", probe.then.default_us},
                       {"deployed_us", probe.then.tuned_us}},
                  interval_text(drift.then, drift.then_interval));
    table.add({name(probe.instance.collective), probe.instance.communicator_size,
               probe.instance.message_size, probe.method.label(), std::move(then),
               Cell(drift.now, interval_text(drift.now, drift.now_interval)),
               Cell(probe.now.default_us, change_text(probe, &evaluate::Pair::default_us)),
               Cell(probe.now.tuned_us, change_text(probe, &evaluate::Pair::tuned_us)),
               evaluate::name(drift.standing), drift.now_interval.low, drift.now_interval.high});
  }
  return table;
}

void print_text(const deploy::Examination& examination) {
  if (!examination.probes.empty())
    fmt::print(
        "{}\ngain: time of the default / time of what is deployed; {} rounds, both in each\n",
        probes_table(examination).text(), examination.rounds);
  if (examination.not_measured > 0)
    fmt::print("{} probes could not be measured\n", examination.not_measured);
  for (const std::string& change : examination.changed) fmt::print("changed: {}\n", change);
  for (const deploy::SettingProbe& probe : examination.settings)
    fmt::print("{}\n", deploy::finding(probe));
  fmt::print("{}\n", evaluate::name(examination.standing));
}

void print_json(const deploy::Examination& examination) {
  Json settings = Json::array();
  for (const deploy::SettingProbe& probe : examination.settings)
    settings.push_back({{"setting", probe.setting.name},
                        {"gain", probe.gain.factor},
                        {"low", probe.gain.interval.low},
                        {"high", probe.gain.interval.high},
                        {"failure", probe.trouble}});
  print_results("colltree/doctor/1", {{"standing", evaluate::name(examination.standing)},
                                      {"rounds", examination.rounds},
                                      {"probes", probes_table(examination).json()},
                                      {"not_measured", examination.not_measured},
                                      {"changed", examination.changed},
                                      {"settings", settings}});
}

// In the folder of `tune` that holds what is deployed: beside it, or above it where both sources
// were tuned.
void store_session(const DoctorOptions& options, const deploy::Examination& examination,
                   const std::string& source, const std::string& mpi) {
  if (examination.cells.empty()) return;
  const fs::path folder = fs::absolute(options.deployed()).parent_path();
  for (const fs::path& profile : {folder / "profile.db", folder.parent_path() / "profile.db"}) {
    if (!fs::exists(profile)) continue;
    try {
      say(fmt::format("{}\n", deploy::store_session(profile, examination, source, mpi)));
    } catch (const Error& error) {  // the answer counts more
      say(fmt::format("these times are not stored: {}\n", error.what()));
    }
    return;
  }
}

void run_doctor(const DoctorOptions& options) {
  if (options.rules.empty() == options.model.empty())
    throw UsageError(
        "name what is deployed: --rules FILE of the library, or --model FILE of colltree");
  Decisions decisions;
  if (options.rules.empty()) {
    decisions = load_decisions(options.model);
    require_our_methods(options.model, decisions.owner);
  }
  const measure::JobStarter starter(options.launcher, options.mpi);
  std::vector<DeployedRules> files;
  if (!options.rules.empty()) {
    files = deployed_rules(starter.mpi(), options.rules);
    decisions = decisions_of(files);
    if (options.communicator_sizes.empty()) decisions.chooses &= model_chooses(options);
  }
  deploy::DoctorRequest request;
  request.reference = find_reference(options);
  if (!files.empty()) require_one_placement(options, *files[0].file.target, request.reference);
  request.probes = probes(options, decisions, request.reference);
  if (!files.empty()) request.rules = arm_of(files);
  request.time_limit_s = options.time_limit_s;
  request.settings = measure::find_settings(starter, options.settings);
  if (!request.settings.empty()) {
    const std::vector<Instance> candidates = wanted(options, request.reference);
    request.instances =
        deploy::fewer_probes(std::set(candidates.begin(), candidates.end()), deploy::kMostProbes);
  }
  request.beside = fs::absolute(options.deployed()).string();
  const deploy::Examination examination = deploy::examine(request, starter);
  store_session(options, examination,
                files.empty() ? "portable" : std::string(name(*files[0].file.target->library)),
                starter.mpi());
  if (request.probes.empty() && !options.json)
    fmt::print("{}: leaves these calls to the library; nothing to examine\n", options.deployed());
  options.json ? print_json(examination) : print_text(examination);
  const auto hit =
      std::ranges::count(examination.probes, evaluate::Standing::kDrifted,
                         [](const deploy::Probe& probe) { return probe.drift.standing; });
  if (examination.standing == evaluate::Standing::kDrifted)
    throw Error(fmt::format("{}: has drifted at {} of {} probes; tune again", options.deployed(),
                            hit, examination.probes.size()));
  if (examination.standing == evaluate::Standing::kCannotTell)
    throw Unfinished(
        fmt::format("{}: cannot tell: the times vary too much, or a probe was not measured; try "
                    "again on a quiet machine or with a longer --time-limit",
                    options.deployed()));
}

}  // namespace

void declare_doctor(CLI::App& app) {
  auto options = std::make_shared<DoctorOptions>();
  add_rules_option(app, options->rules);
  app.add_option("--model", options->model,
                 "or the model or compact decision file that 'colltree run' uses");
  add_launcher_options(app, options->launcher, options->mpi)->required();
  app.add_option(
      "--on", options->against,
      "the verification.csv of 'colltree tune' to compare with (default: the one beside the file)");
  app.add_option("--collective", options->collectives,
                 "collectives to check, comma-separated, or all")
      ->capture_default_str();
  app.add_option("--ranks-per-node", options->ranks_per_node,
                 "check only where it was verified with this many ranks on each node")
      ->transform(whole_number(limits::kAskedRanks));
  app.add_option("--communicator-sizes", options->communicator_sizes,
                 "check these numbers of ranks instead of those verified, as a list with ranges")
      ->transform(size_list(limits::kMeasuredRanks));
  app.add_option("--message-sizes", options->message_sizes,
                 "with --communicator-sizes: message sizes in bytes, as a list with ranges")
      ->transform(size_list(limits::kMeasuredBytes))
      ->default_str(options->message_sizes.text);
  add_setting_option(app, options->settings, "compare the job as it is with these settings of it");
  app.add_option("--time-limit", options->time_limit_s,
                 "time limit for the measured calls, in seconds; starting the jobs takes longer")
      ->transform(real_number({1, 86400}))
      ->capture_default_str();
  app.add_flag("--json", options->json, "print the results as JSON");
  app.callback([options] { run_doctor(*options); });
}

}  // namespace colltree::cli
