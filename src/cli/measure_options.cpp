// SPDX-License-Identifier: BSD-3-Clause
#include "cli/measure_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "coll/catalogue.h"

namespace colltree {

void MeasureOptions::declare(CLI::App& app) {
  app.add_option("--platform", platform,
                 "simulate this cluster: grig, frodo, nano, modern or a SimGrid platform file");
  app.add_option("--launcher", launcher,
                 "measure for real; the command before the program, e.g. 'mpirun -np {ranks}'");
  app.add_option(
      "--mpi", mpi,
      "which measuring program the launcher starts: openmpi, mpich or mpi (default: ask it)");
  app.add_option("--source", source,
                 "whose algorithms: portable (ours), or the library's own: openmpi, mpich")
      ->capture_default_str();
  app.add_option("--collective", collectives, "comma list, or all that the source has")
      ->capture_default_str();
  app.add_option("--grid", grid,
                 "grig, grig-2007, frodo, nano, modern, tiny (default: the platform's)");
  app.add_option("--communicator-sizes", communicator_sizes,
                 "list and ranges, e.g. 2..28 or 4..64:4");
  app.add_option("--message-sizes", message_sizes, "list and ranges, e.g. 1..384K:x2");
  app.add_option("--methods", methods,
                 "only these, e.g. Linear_0K,binomial,default (default: all)");
  app.add_option("--segment-sizes", segment_sizes, "of segmented methods")->capture_default_str();
  app.add_option("--parameters", parameters,
                 "of a library's algorithms, e.g. fanout=2:4:8,radix=2:8,requests=4:16 (default: "
                 "fanout=2:4:8 and else the library's own); nonblocking: also what MPICH's nb can "
                 "run");
  app.add_option("--noise", noise,
                 "simulated noise: off or spread=0.05,outliers=0.01,factor=10,seed=1")
      ->capture_default_str();
  app.add_option("--system", system,
                 "name of the system in the profile (default: the platform's or the host's)");
  app.add_option("--jobs", jobs, "simulations at once (default: one for each core)");
  app.add_option("--min-samples", stop.min_samples, "per cell")->capture_default_str();
  app.add_option("--max-samples", stop.max_samples, "per cell")->capture_default_str();
  app.add_option(
         "--half-width", stop.max_half_width,
         "stop a cell when the median's confidence interval is this narrow (half width / median)")
      ->capture_default_str();
  app.add_option("--cell-budget", stop.cell_budget_s, "stop a cell after so many seconds")
      ->capture_default_str();
  app.add_option("--foreign-load", stop.max_foreign_load,
                 "measure again (up to three times) what was measured while others used more than "
                 "this share of the cores; 0 = do not look")
      ->capture_default_str();
  app.add_option("--silence-limit", silence_limit_s,
                 "a job that reports nothing for so many seconds has failed")
      ->capture_default_str();
  app.add_flag("--retry-failed", retry_failed, "measure again what failed before");
  app.add_flag("--retry-disturbed", retry_disturbed,
               "measure again what was measured while others used the machine (--foreign-load)");
}

std::unique_ptr<Driver> MeasureOptions::make_driver() const {
  if (platform.empty() == launcher.empty()) {
    throw UsageError(
        "say where to measure: --platform grig simulates, --launcher 'mpirun -np {ranks}' is real");
  }
  if (!launcher.empty() && noise != "off")
    throw UsageError("--noise: a real cluster brings its own");
  if (source != "portable" && launcher.empty())
    throw UsageError("--source: a library's own algorithms run for real only: give --launcher");
  const std::optional<Library> library =
      source == "portable" ? std::nullopt : std::optional(parse_library(source));
  if (!launcher.empty()) return make_launcher_driver(launcher, mpi, library);
  return make_simulated_driver(find_platform(platform), parse_noise(noise), jobs);
}

// "all": every collective that the source has an algorithm of.
std::vector<Collective> MeasureOptions::wanted_collectives() const {
  if (collectives != "all") return parse_collectives(collectives);
  std::vector<Collective> all;
  for (const CollectiveInfo& info : all_collectives()) {
    const bool there =
        source == "portable"
            ? !portable_methods(info.collective, {}).empty()
            : !library_methods(parse_library(source), info.collective, {}, {}).empty();
    if (there) all.push_back(info.collective);
  }
  return all;
}

CampaignRequest MeasureOptions::make_request() const {
  CampaignRequest request;
  if (source != "portable") request.library = parse_library(source);
  request.parameters = parse_parameter_values(parameters);
  request.collectives = wanted_collectives();
  std::string named = grid;
  if (named.empty() && !platform.empty()) named = find_platform(platform).grid.value_or("");
  if (!named.empty()) request.grid = find_grid(named);
  if (!communicator_sizes.empty()) {
    request.grid.communicator_sizes = parse_size_list(communicator_sizes, "--communicator-sizes");
  }
  if (!message_sizes.empty())
    request.grid.message_sizes = parse_size_list(message_sizes, "--message-sizes");
  if (request.grid.communicator_sizes.empty() || request.grid.message_sizes.empty()) {
    throw UsageError(
        "the grid is empty: give --grid, or --communicator-sizes 2..8 and --message-sizes "
        "1..1M:x2");
  }
  constexpr std::uint64_t kMostRanks = 1U << 20;
  constexpr std::uint64_t kMostBytes = 1U << 30;
  if (request.grid.communicator_sizes.front() < 1 ||
      request.grid.communicator_sizes.back() > kMostRanks) {
    throw UsageError("--communicator-sizes: must be from 1 to 1M");
  }
  if (request.grid.message_sizes.back() > kMostBytes)
    throw UsageError("--message-sizes: at most 1G");
  if (stop.min_samples < 1 || stop.max_samples < stop.min_samples) {
    throw UsageError("--min-samples must be at least 1 and at most --max-samples");
  }
  request.methods = methods;
  request.segment_sizes = parse_size_list(segment_sizes, "--segment-sizes");
  request.stop = stop;
  if (!system.empty()) request.system = system;
  request.silence_limit_s = silence_limit_s;
  request.retry_failed = retry_failed;
  request.retry_disturbed = retry_disturbed;
  return request;
}

}  // namespace colltree
