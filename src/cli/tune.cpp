// SPDX-License-Identifier: BSD-3-Clause
// `colltree tune`: measure, fit, evaluate, emit, and a summary that a person reads first.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/fit_input.h"
#include "cli/measure_options.h"
#include "cli/run_time_model.h"
#include "cli/tuned_models.h"
#include "coll/library_methods.h"
#include "decision/map_output.h"
#include "emit/emitter.h"
#include "emit/rules/rule_target.h"
#include "evaluate/comparison.h"
#include "model/rule_model.h"
#include "model/united_trees.h"
#include "profile/load_timings.h"

namespace colltree {

namespace {

namespace fs = std::filesystem;

struct Options : MeasureOptions {
  std::string output;
  bool json = false;
};

// A model that was fitted and stored, with what the summary says of it.
struct Fitted {
  std::string name;  // "bcast-quadtree3"; "bcast": the one to deploy
  std::unique_ptr<DecisionFunction> model;
  std::size_t c_bytes = 0;
  bool deploy = false;
};

class Tuning {
 public:
  explicit Tuning(const Options& options) : options_(options), folder_(options.output) {}

  void run() {
    const CampaignRequest request = options_.make_request();
    const std::unique_ptr<Driver> driver = options_.make_driver();
    default_name_ = driver->default_name();
    // What cannot be must not leave a folder, nor measure for nothing.
    static_cast<void>(plan_cells(request, *driver));
    if (request.library) rules_target_ = &rule_target_of(driver->system().mpi);
    make_folder();
    measure(request, *driver);
    fit_each();
    fit_combined();
    if (request.library) {
      write_rules();
    } else {
      run_time_file_ = (folder_ / "tuned.cdt").string();
      write_file(run_time_file_, run_time_model(timings_, tuned_models().front().fitter));
    }
    options_.json ? print_json() : print_text();
  }

 private:
  void make_folder() {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error)
      throw Error(
          fmt::format("{}: cannot make this folder: {}", folder_.string(), error.message()));
  }

  void measure(const CampaignRequest& request, const Driver& driver) {
    Profile profile(folder_ / "profile.db", OpenMode::kWrite);
    outcome_ = run_campaign(request, driver, profile);
    if (outcome_.measured == 0 && outcome_.already == 0)
      throw Error("no cell could be measured; see above");
    system_ = profile.require_system(outcome_.system);
    for (const Collective collective : request.collectives) {
      timings_.push_back(load_timings(profile, system_.name, collective));
    }
  }

  void store(const std::string& name, std::unique_ptr<DecisionFunction> model, bool deploy) {
    save_model(*model, folder_ / (name + ".json"));
    EmitOptions emit;
    emit.prefix = "colltree_" + name;
    std::ranges::replace_if(
        emit.prefix, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    const std::string source = find_emitter("c").emit(*model, emit);
    write_file(folder_ / (name + ".c"), source);
    fitted_.push_back({name, std::move(model), source.size(), deploy});
  }

  void fit_each() {
    for (const Timings& timings : timings_) {
      const std::string collective(name(timings.collective));
      maps_.push_back(make_decision_map(timings));
      write_file(folder_ / (collective + "-map.csv"), map_csv(maps_.back()));
      for (const TunedModel& tuned : tuned_models()) {
        const bool deploy = *tuned.name == 0;
        store(deploy ? collective : fmt::format("{}-{}", collective, tuned.name),
              fit_with_penalty(parse_fitter(tuned.fitter), {timings}), deploy);
      }
    }
  }

  // Collectives whose methods have the same names make one tree (2006, 5.2): bcast and reduce.
  void fit_combined() {
    std::vector<Timings> sharing;
    for (const Timings& timings : timings_) {
      const bool shares = std::ranges::any_of(timings_, [&](const Timings& other) {
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
    for (const TunedModel& tuned : tuned_combined_models()) {
      store(fmt::format("{}-{}", names, tuned.name),
            fit_with_penalty(parse_fitter(tuned.fitter), sharing), false);
    }
  }

  // The models to deploy as one.
  RuleModel deployed() const {
    std::vector<RuleTree> trees;
    for (const Fitted& fitted : fitted_) {
      if (fitted.deploy) trees.push_back(fitted.model->lower());
    }
    RuleModel model(origin_of(timings_), united(trees));
    add_penalty_statistics(model, timings_);
    return model;
  }

  // The models to deploy as the rules of the library whose algorithms were measured.
  void write_rules() {
    const std::string target = rules_target_->name;
    const RuleModel model = deployed();
    save_model(model, folder_ / "rules.json");
    EmitOptions emit;
    emit.timings = &timings_;
    emit.notes = &rules_notes_;
    write_file(folder_ / ("rules." + target), find_emitter(target).emit(model, emit));
    rules_file_ = (folder_ / ("rules." + target)).string();
  }

  Comparison compare(const Timings& timings) const {
    Comparison comparison = compare_baselines(timings, default_name_);
    for (const Fitted& fitted : fitted_) {
      if (std::ranges::count(fitted.model->origin().collectives, timings.collective) == 0) continue;
      const auto choose = [&](const Instance& instance) { return fitted.model->decide(instance); };
      const auto leaves = fitted.model->statistics().value("leaves", std::uint64_t{0});
      comparison.rows.push_back(
          {fitted.name, fmt::format("{}{} leaves", fitted.deploy ? "to deploy, " : "", leaves),
           penalty_points(timings, choose)});
    }
    return comparison;
  }

  void print_winners(const DecisionMap& map) const {
    constexpr std::size_t kMostShown = 8;
    const std::vector<MethodShare> shares = method_shares(map);
    const auto cells = static_cast<double>(map.rows() * map.columns());
    fmt::print("{}: best methods over {} instances:", name(map.collective),
               map.rows() * map.columns());
    for (std::size_t i = 0; i < shares.size() && i < kMostShown; ++i) {
      fmt::print("{} {} {:.0f} %", i == 0 ? "" : ",", map.methods[shares[i].method].label(),
                 100 * static_cast<double>(shares[i].cells) / cells);
    }
    fmt::print("{}\n", shares.size() > kMostShown
                           ? fmt::format(", {} more", shares.size() - kMostShown)
                           : "");
  }

  void print_text() const {
    fmt::print("\n{} ({}, {}): {}\n", system_.name, system_.provenance, system_.mpi,
               outcome_text(outcome_));
    for (std::size_t i = 0; i < timings_.size(); ++i) {
      fmt::print("\n");
      print_winners(maps_[i]);
      fmt::print("{}", comparison_text(compare(timings_[i])));
    }
    fmt::print(
        "\nPenalties are on the training grid. mean, median, p95, max in %; >5, >10, >50: share of "
        "instances above\nso many %, in %; no run: instances where the choice has no time; beats: "
        "instances where the default is\nfaster than every method; vs def: geometric mean of the "
        "time against the default, in %; mean 95 %: interval\nof the mean (bootstrap).\n");
    fmt::print(
        "\nFiles in {}:\n  profile.db           every sample, with provenance (colltree show, map, "
        "compare)\n"
        "  COLLECTIVE-map.csv   the best method at each instance\n"
        "  COLLECTIVE.json, .c  the model to deploy: {} (docs/evaluating.md says why)\n"
        "  NAME.json            each model above (colltree evaluate, decide, emit)\n"
        "  NAME.c               the same as self-contained C99\n",
        folder_.string(), tuned_models().front().fitter);
    if (rules_target_ != nullptr) print_rules();
    if (!run_time_file_.empty()) print_run_time();
  }

  // For as many ranks as were tuned.
  std::string launcher_line() const {
    std::string line = options_.launcher.empty() ? "mpirun -n {ranks}" : options_.launcher;
    std::uint64_t ranks = 0;
    for (const Timings& timings : timings_)
      ranks = std::max(ranks, timings.instances.back().communicator_size);
    if (const std::size_t at = line.find("{ranks}"); at != std::string::npos)
      line.replace(at, std::string_view("{ranks}").size(), std::to_string(ranks));
    return line;
  }

  void print_run_time() const {
    fmt::print(
        "  tuned.cdt            all of it, for any MPI program\n"
        "\nTo run a program under it (docs/runtime.md):\n"
        "  colltree run --model {} -- {} PROGRAM\n",
        run_time_file_, launcher_line());
  }

  // How the rules get into the library, and how to prove them.
  void print_rules() const {
    fmt::print(
        "  rules.json           the models to deploy as one, and as the library's rules:\n  {}\n",
        fs::path(rules_file_).filename().string());
    for (const std::string& note : rules_notes_) fmt::print("    note: {}\n", note);
    fmt::print("\nTo run a program under the rules:\n");
    for (const std::string& setting :
         settings_to_load(*rules_target_->library, fs::absolute(rules_file_).string()))
      fmt::print("  export {}\n", setting);
    fmt::print(
        "To see that the library obeys them, and what they gain:\n"
        "  colltree check {0} --for {1} --live --launcher '{2}'{5}\n"
        "  colltree verify --library {3} --rules {0} --launcher '{2}'{5} --communicator-sizes "
        "{4}\n",
        rules_file_, rules_target_->name, options_.launcher, name(*rules_target_->library),
        options_.communicator_sizes.text, options_.mpi.empty() ? "" : " --mpi " + options_.mpi);
  }

  void print_json() const {
    Json collectives = Json::array();
    for (const Timings& timings : timings_)
      collectives.push_back(comparison_json(compare(timings)));
    Json models = Json::array();
    for (const Fitted& fitted : fitted_) {
      models.push_back({{"name", fitted.name},
                        {"kind", fitted.model->kind()},
                        {"deploy", fitted.deploy},
                        {"model", (folder_ / (fitted.name + ".json")).string()},
                        {"source", (folder_ / (fitted.name + ".c")).string()},
                        {"source_bytes", fitted.c_bytes},
                        {"statistics", fitted.model->statistics()}});
    }
    const Json json = {{"system", system_.name},
                       {"provenance", system_.provenance},
                       {"mpi", system_.mpi},
                       {"profile", (folder_ / "profile.db").string()},
                       {"cells", outcome_.wanted},
                       {"failed", outcome_.failed},
                       {"collectives", collectives},
                       {"models", models},
                       {"rules", rules_file_},
                       {"rules_notes", rules_notes_},
                       {"run_time_model", run_time_file_}};
    fmt::print("{}\n", json.dump(2));
  }

  const Options& options_;
  fs::path folder_;
  std::string default_name_;
  CampaignOutcome outcome_;
  SystemInfo system_;
  std::vector<Timings> timings_;
  std::vector<DecisionMap> maps_;
  std::vector<Fitted> fitted_;
  const RuleTarget* rules_target_ = nullptr;  // nullptr: no rules were written
  std::string rules_file_;
  std::string run_time_file_;  // "": none, because rules were written
  std::vector<std::string> rules_notes_;
};

}  // namespace

void declare_tune(CommandLine& line) {
  auto options = std::make_shared<Options>();
  options->declare(line);
  line.add("-o,--output", options->output,
           "folder for the profile, models and C code; continued if it exists")
      .required();
  line.add_flag("--json", options->json, "print JSON");
  line.set_work([options] { Tuning(*options).run(); });
}

}  // namespace colltree
