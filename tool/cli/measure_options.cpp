// SPDX-License-Identifier: BSD-3-Clause
#include "cli/measure_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/error.h"
#include "base/streams.h"
#include "base/text.h"
#include "cli/command.h"
#include "coll/catalogue.h"
#include "measure/grid.h"
#include "measure/installed_library.h"
#include "measure/job.h"
#include "timings/call_mix.h"

namespace colltree::cli {

namespace {

constexpr std::string_view kUsualCollectives = "bcast,reduce,allreduce,alltoall";

constexpr const char* kLauncherHelp =
    "the command before the program, e.g. 'mpirun -np {ranks}'; colltree puts the number of ranks "
    "in place of {ranks}";

// "10..200", or one number.
void take_samples(const std::string& text, protocol::StopRule& stop) {
  const std::size_t dots = std::min(text.find(".."), text.size());
  const auto least = find_whole(text.substr(0, dots), protocol::kSamplesRange);
  const auto most =
      dots == text.size() ? least : find_whole(text.substr(dots + 2), protocol::kSamplesRange);
  if (!least || !most || *least > *most)
    throw UsageError(fmt::format("--samples: expected MIN..MAX or one number, each {}, got '{}'",
                                 expected_text(protocol::kSamplesRange), text));
  stop.min_samples = static_cast<std::uint32_t>(*least);
  stop.max_samples = static_cast<std::uint32_t>(*most);
}

std::vector<Collective> usual_collectives(const std::string& methods) {
  std::vector<Collective> usual = parse_collectives(kUsualCollectives);
  if (methods == "papers")
    std::erase_if(usual,
                  [](Collective collective) { return paper_methods(collective, {}).empty(); });
  return usual;
}

void add_mpi_option(CLI::App& app, std::string& mpi) {
  app.add_option(
      "--mpi", mpi,
      fmt::format("the measuring program that the launcher starts: {} (default: the launcher's "
                  "own library)",
                  join(measure::flavours(), ", ")));
}

}  // namespace

CLI::Option* add_launcher_options(CLI::App& app, std::string& launcher, std::string& mpi) {
  add_mpi_option(app, mpi);
  return app.add_option("--launcher", launcher, kLauncherHelp);
}

void add_setting_option(CLI::App& app, std::vector<std::string>& settings,
                        const std::string& what) {
  app.add_option("--setting,--settings", settings,
                 what +
                     ": 'NAME: VARIABLE=VALUE ...', a file with one in each line, or installed: "
                     "what this library and machine offer; may be repeated")
      ->allow_extra_args(false);
}

std::string flavour_for(const std::string& launcher, const std::string& mpi,
                        std::string_view library) {
  const std::vector<std::string> built = measure::built_flavours();
  if (!mpi.empty() || built.size() < 2 || std::ranges::count(built, library) == 0) return mpi;
  const bool is_told = !launcher.empty() &&
                       measure::launcher_library(measure::split_command(launcher)[0]) != nullptr;
  return is_told ? mpi : std::string(library);
}

void MeasureOptions::declare_sizes(CLI::App& app) {
  app.add_option(
      "--collective", collectives,
      "collectives to measure, comma-separated; all: every collective that the source has "
      "algorithms for (default: " +
          std::string(kUsualCollectives) +
          "; with --mix: those that the programs call; with --methods papers: those that the "
          "papers measured)");
  app.add_option("--communicator-sizes", communicator_sizes,
                 "numbers of ranks, as a list with ranges: 2..28 or 4..64:4; auto: powers of two, "
                 "whole nodes and some odd sizes, up to all ranks of the job (default: those of "
                 "the grid)")
      ->transform(size_list(limits::kMeasuredRanks, "auto"));
  app.add_option("--message-sizes", message_sizes,
                 "message sizes in bytes, as a list with ranges: 1..384K:x2; auto: 1..1M:x2 "
                 "(default: those of the grid)")
      ->transform(size_list(limits::kMeasuredBytes, "auto"));
}

void MeasureOptions::declare_what(CLI::App& app) {
  app.option_defaults()->group("What is measured");
  app.add_option(
         "--source", source,
         fmt::format("whose algorithms to measure: portable (colltree's own), {} (the library's "
                     "own), or both in one job: portable,openmpi",
                     library_names()))
      ->capture_default_str();
  app.add_option(
      "--methods", methods,
      "measure only these methods, comma-separated, e.g. Linear_0K,binomial,default; papers: "
      "those of the papers of 2006 and 2007 (default: all that 'colltree measure methods' "
      "lists)");
  app.add_option("--segment-sizes", segment_sizes,
                 "segment sizes in bytes of the methods that cut messages; 0: not cut")
      ->transform(size_list(limits::kMeasuredBytes))
      ->default_str(segment_sizes.text);
  app.add_option(
      "--parameters", parameters,
      "further parameters of the algorithms, e.g. fanout=2:4:8,radix=2:8,requests=4:16; "
      "nonblocking: also what MPICH's nb can run (default: for a library fanout=2:4:8, for "
      "colltree's algorithms radix=4:8,requests=4:16, and always each algorithm's own value)");
  app.add_option(
      "--grid", grid,
      "named grid of sizes: " + join(measure::grid_names(), ", ") + " (default: the platform's)");
  app.add_option(
      "--mix", mix,
      "take the sizes from the calls of your programs: a record of 'colltree run --record' or "
      "a CSV file (docs/reference/formats/mix.md)");
}

void MeasureOptions::declare_placements(CLI::App& app) {
  app.add_option(
      "--ranks-per-node", ranks_per_node,
      "placements to measure for each communicator size, in ranks per node, e.g. 1,2,4,all; "
      "all uses every rank of a node (default: the first ranks of the job, as they lie)");
}

void MeasureOptions::declare_how_often(CLI::App& app) {
  app.option_defaults()->group("How often each cell is measured");
  app.add_option_function<std::string>(
         "--samples", [this](const std::string& text) { take_samples(text, stop); },
         "least and largest number of samples of a cell, or one number")
      ->type_name("MIN..MAX")
      ->default_str(fmt::format("{}..{}", stop.min_samples, stop.max_samples));
  app.add_option(
         "--half-width", stop.max_half_width,
         "stop a cell when the confidence interval of its median is this narrow (half its width, "
         "as a fraction of the median)")
      ->transform(real_number(protocol::kHalfWidthRange))
      ->capture_default_str();
  app.add_option("--cell-budget", stop.cell_budget_s, "time limit for each cell, in seconds")
      ->transform(real_number(protocol::kCellBudgetRange))
      ->capture_default_str();
  app.add_option("--foreign-load", stop.max_foreign_load,
                 "measure a cell again, up to three times, if other programs used more than this "
                 "fraction of the cores, and mark a cell whose ranks shared cores; 0: do not look")
      ->transform(real_number(protocol::kForeignLoadRange))
      ->capture_default_str();
  app.add_option("--silence-limit", silence_limit_s,
                 "a job that reports nothing for this long, in seconds, has failed")
      ->transform(real_number({0, 1e6, true}))
      ->capture_default_str();
}

void MeasureOptions::declare_for_kit(CLI::App& app) {
  declare_sizes(app);
  declare_what(app);
  declare_placements(app);
  declare_how_often(app);
}

void MeasureOptions::declare(CLI::App& app, const std::string& jobs_help) {
  app.add_option("--platform", platform,
                 "simulate this cluster: " + join(measure::platform_names(), ", ") +
                     ", or a SimGrid platform file");
  app.add_option("--launcher", launcher, "measure a real cluster: " + std::string(kLauncherHelp));
  declare_sizes(app);
  declare_what(app);
  app.option_defaults()->group("Where it is measured");
  add_setting_option(app, settings, "measure under these settings of the job, too");
  declare_placements(app);
  add_mpi_option(app, mpi);
  app.add_option("--system", system,
                 "name of the system in the profile (default: the platform's or the host's)");
  app.add_option("--at-once", at_once,
                 "measure on several communicators without a common node at once, if their times "
                 "change by at most this share, e.g. 10%; 0: never")
      ->transform(percentage({0, 1000}));
  app.add_option("--jobs", jobs, jobs_help)->transform(whole_number(limits::kJobs));
  app.add_option("--noise", noise,
                 "noise of the simulation: off, or spread=0.05,outliers=0.01,factor=10,seed=1")
      ->capture_default_str();
  declare_how_often(app);
  app.option_defaults()->group("Adaptive measurement");
  app.add_option(
      "--budget", budget,
      "measure only the cells that improve the decisions most, and predict the rest; spend "
      "this much time (90s, 30m, 2h), share of the full cost (5%) or number of cells "
      "(2000cells)");
  app.add_option("--until", until,
                 "the same, until the expected mean penalty falls below this value, e.g. 0.5%");
  app.option_defaults()->group("Measuring again");
  app.add_option("--retry", retry,
                 "measure these cells again, comma-separated: failed; disturbed: other programs "
                 "used the machine or ranks shared cores (see --foreign-load)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"failed", "disturbed"}));
}

namespace {

// "openmpi" from "portable,openmpi" or "openmpi,portable"; "" from anything else.
std::string library_of_both(const std::string& source) {
  const auto names = split(source, ',');
  if (names.size() != 2 || (names[0] == "portable") == (names[1] == "portable")) return "";
  return std::string(names[names[0] == "portable" ? 1 : 0]);
}

}  // namespace

bool MeasureOptions::has_both_sources() const {
  if (library_of_both(source).empty()) return false;
  const auto one_only = [](bool given, const char* option) {
    if (given) throw UsageError(fmt::format("--source: {} takes one source only", option));
  };
  one_only(!methods.empty(), "--methods");
  one_only(!budget.empty(), "--budget");
  one_only(!until.empty(), "--until");
  one_only(!settings.empty(), "--setting");
  return true;
}

std::string MeasureOptions::flavour() const {
  const std::string library = library_of_both(source);
  return flavour_for(launcher, mpi, library.empty() ? source : library);
}

MeasureOptions MeasureOptions::of_library() const {
  MeasureOptions library_options = *this;
  library_options.source = library_of_both(source);
  if (!system.empty()) library_options.system = system + "-own";
  return library_options;
}

MeasureOptions MeasureOptions::of_portable() const {
  MeasureOptions portable_options = *this;
  portable_options.mpi = flavour();
  portable_options.source = "portable";
  return portable_options;
}

std::vector<MeasureOptions> MeasureOptions::sources() const {
  if (!has_both_sources()) return {*this};
  return {of_library(), of_portable()};
}

std::unique_ptr<measure::Driver> MeasureOptions::make_driver() const {
  if (platform.empty() == launcher.empty()) {
    throw UsageError(
        "name where to measure: --platform grig simulates, --launcher 'mpirun -np {ranks}' runs "
        "real jobs");
  }
  if (launcher.empty() && at_once > 0)
    throw UsageError("--at-once: simulated cells do not disturb each other; leave it out");
  if (!launcher.empty() && noise != "off")
    throw UsageError("--noise: only a simulation takes it; leave it out");
  if (launcher.empty() && !settings.empty())
    throw UsageError("--setting: a simulation has no environment; leave it out");
  if (source != "portable" && launcher.empty())
    throw UsageError("--source: the algorithms of a library cannot be simulated; give --launcher");
  const std::optional<Library> library =
      source == "portable" ? std::nullopt : std::optional(parse_library(source));
  if (!launcher.empty())
    return measure::make_launcher_driver(launcher, flavour(), library, settings);
  return measure::make_simulated_driver(measure::find_platform(platform),
                                        measure::parse_noise(noise), jobs);
}

std::vector<Collective> MeasureOptions::collectives_of_source() const {
  std::vector<Collective> found;
  for (const CollectiveInfo& info : all_collectives()) {
    const bool there =
        source == "portable"
            ? !portable_methods(info.collective, {}).empty()
            : !library_methods(parse_library(source), info.collective, {}, {}).empty();
    if (there) found.push_back(info.collective);
  }
  return found;
}

std::vector<Collective> MeasureOptions::wanted_collectives() const {
  if (collectives == "all") return collectives_of_source();
  if (!collectives.empty()) return parse_collectives(collectives);
  if (mix.empty() || methods == "papers") return usual_collectives(methods);
  std::set<Collective> called;
  for (const CallCount& call : load_call_mix(mix)) called.insert(call.instance.collective);
  std::vector<Collective> wanted = collectives_of_source();
  std::erase_if(wanted, [&](Collective collective) { return !called.contains(collective); });
  return wanted;
}

std::vector<std::uint64_t> MeasureOptions::asked_ranks_per_node() const {
  std::vector<std::uint64_t> asked;
  if (ranks_per_node.empty()) return asked;
  for (const std::string_view word : split(ranks_per_node, ',')) {
    const auto ranks = word == "all" ? std::optional(protocol::kAllRanksOfNode)
                                     : find_whole(word, protocol::kRanksPerNode);
    if (!ranks) {
      throw UsageError(
          fmt::format("--ranks-per-node: expected {} or all, comma-separated, got '{}'",
                      expected_text(protocol::kRanksPerNode), word));
    }
    asked.push_back(*ranks);
  }
  return asked;
}

measure::Grid MeasureOptions::make_grid(const std::vector<Collective>& measured) const {
  measure::Grid result;
  std::string named = grid;
  if (named.empty() && !platform.empty() && mix.empty())
    named = measure::find_platform(platform).grid.value_or("");
  if (!named.empty()) result = measure::find_grid(named);
  if (!mix.empty()) {
    if (!grid.empty()) throw UsageError("--grid and --mix both set the sizes; give one of them");
    result = measure::grid_of_calls(load_call_mix(mix), measured, mix);
  }
  if (communicator_sizes.is_auto()) {
    const measure::Allocation allocation =
        platform.empty() ? measure::find_allocation(
                               std::getenv, launcher.empty() ? std::vector<std::string>{}
                                                             : measure::split_command(launcher))
                         : measure::find_allocation(measure::find_platform(platform));
    say(fmt::format("colltree: --communicator-sizes auto: {}\n",
                    measure::allocation_text(allocation)));
    result.communicator_sizes = measure::usual_communicator_sizes(allocation);
  } else if (!communicator_sizes.empty()) {
    result.communicator_sizes = communicator_sizes.sizes;
  }
  if (message_sizes.is_auto()) {
    result.message_sizes = measure::usual_message_sizes();
  } else if (!message_sizes.empty()) {
    result.message_sizes = message_sizes.sizes;
  }
  if (result.communicator_sizes.empty() || result.message_sizes.empty()) {
    throw UsageError(
        "the grid is empty: give --grid, or --communicator-sizes 2..8 and --message-sizes "
        "1..1M:x2, or auto for each");
  }
  return result;
}

measure::CampaignRequest MeasureOptions::make_request() const {
  measure::CampaignRequest request;
  if (source != "portable") request.library = parse_library(source);
  request.parameters = request.library
                           ? parse_parameter_values(parameters)
                           : parse_parameter_values(parameters, portable_parameter_values());
  request.collectives = wanted_collectives();
  request.grid = make_grid(request.collectives);
  request.ranks_per_node = asked_ranks_per_node();
  request.budget = measure::parse_budget(budget);
  request.budget.until = measure::parse_until(until);
  request.budget.by_calls = !mix.empty();
  request.methods = methods;
  request.segment_sizes = segment_sizes.sizes;
  request.stop = stop;
  if (!system.empty()) request.system = system;
  request.at_once = at_once;
  request.silence_limit_s = silence_limit_s;
  request.retry_failed = std::ranges::count(retry, "failed") > 0;
  request.retry_disturbed = std::ranges::count(retry, "disturbed") > 0;
  return request;
}

BothSources::BothSources(const MeasureOptions& options)
    : library(options.of_library().make_request()),
      portable(options.of_portable().make_request()),
      library_driver(options.of_library().make_driver()),
      portable_driver(options.of_portable().make_driver()) {
  static_cast<void>(measure::plan_cells(library));
  static_cast<void>(measure::plan_cells(portable));
}

measure::BothOutcomes BothSources::measure(profile::Profile& profile) const {
  return measure::run_campaigns({library, *library_driver}, {portable, *portable_driver}, profile);
}

}  // namespace colltree::cli
