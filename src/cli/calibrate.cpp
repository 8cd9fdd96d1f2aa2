// SPDX-License-Identifier: BSD-3-Clause
// `colltree study calibrate`: a platform of the simulator from the times of a machine, and how well
// it predicts the times that it was not made from (docs/tasks/simulating.md).
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/profile_options.h"
#include "coll/catalogue.h"
#include "evaluate/comparison.h"
#include "measure/campaign_run.h"
#include "measure/platform.h"
#include "parametric/calibration.h"

namespace colltree::cli {

namespace {

namespace fs = std::filesystem;

struct CalibrateOptions {
  ProfileOptions input;
  std::string output;
  std::uint64_t hosts = 0;
  std::size_t jobs = 0;
  bool no_check = false;
};

struct Checked {
  Collective collective;
  parametric::SimulatedError used;
  parametric::SimulatedError held_out;
};

// The methods that a flat cluster can simulate.
std::vector<Method> simulated_methods(const Timings& timings) {
  std::vector<Method> methods;
  const std::vector<Method> ours = portable_methods(timings.collective, {});
  for (const Method& method : timings.methods) {
    const bool known = std::ranges::count(ours, method.algorithm, &Method::algorithm) > 0;
    if (known && !knows_nodes(timings.collective, method)) methods.push_back(method);
  }
  return methods;
}

// The cells of the timings, simulated; none where no method of theirs is one of ours.
std::optional<measure::CampaignRequest> same_cells(const Timings& timings) {
  const std::vector<Method> methods = simulated_methods(timings);
  if (methods.empty()) return std::nullopt;
  measure::CampaignRequest request;
  request.collectives = {timings.collective};
  std::set<std::uint64_t> ranks;
  std::set<std::uint64_t> bytes;
  for (const Instance& at : timings.instances) {
    if (at.communicator_size > 1) ranks.insert(at.communicator_size);
    bytes.insert(at.message_size);
  }
  request.grid = {{ranks.begin(), ranks.end()}, {bytes.begin(), bytes.end()}};
  std::set<std::uint64_t> segments;
  std::set<std::uint64_t> radices;
  std::set<std::uint64_t> requests;
  std::vector<std::string> labels;
  for (const Method& method : methods) {
    labels.push_back(method.label());
    if (method.parameters.radix != 0) radices.insert(method.parameters.radix);
    if (method.parameters.requests != 0) requests.insert(method.parameters.requests);
    if (method.segment_size) segments.insert(*method.segment_size);
  }
  request.methods = join(labels, ",");
  request.segment_sizes = {segments.begin(), segments.end()};
  request.parameters.radix = {radices.begin(), radices.end()};
  request.parameters.requests = {requests.begin(), requests.end()};
  request.parameters.tree_requests = true;
  return request;
}

// Simulated times never come into the profile of the measured ones.
std::vector<Checked> check(const std::vector<Timings>& measured, const CalibrateOptions& options) {
  const std::string file = fmt::format("{}.db-{}", options.output, ::getpid());
  const TransientFile transient(file, "");
  fs::remove(file);
  const auto driver = measure::make_simulated_driver(
      measure::find_platform(fs::absolute(options.output).string()), {}, options.jobs);
  profile::Profile profile(file, profile::OpenMode::kWrite);
  std::vector<Checked> all;
  for (const Timings& timings : measured) {
    const auto request = same_cells(timings);
    if (!request) continue;
    const measure::CampaignOutcome outcome = measure::run_campaign(*request, *driver, profile);
    const Timings simulated = profile::load_timings(profile, outcome.system, timings.collective);
    const auto used = [&](const Method& method) {
      return parametric::tells_of_messages(timings.collective, method);
    };
    all.push_back({timings.collective, parametric::simulated_error(timings, simulated, used),
                   parametric::simulated_error(timings, simulated, std::not_fn(used))});
  }
  return all;
}

std::string error_text(const parametric::SimulatedError& error) {
  if (error.cells == 0) return fmt::format("{:>7} {:>8} {:>8} {:>8}", 0, "-", "-", "-");
  return fmt::format("{:>7} {:>8} {:>8} {:>8.2f}", error.cells,
                     evaluate::percent_text(error.median), evaluate::percent_text(error.p90),
                     error.ratio);
}

void print_text(const parametric::CalibratedPlatform& platform, const profile::SystemInfo& system,
                const CalibrateOptions& options, const std::vector<Checked>& checked) {
  fmt::print("{}: {} hosts after {} ({}, {})\n", options.output, platform.hosts, system.name,
             system.provenance, system.mpi);
  fmt::print(
      "  link {:.4g} MB/s, {:.3g} us each of two; overhead {:.3g} us; eager to {} B; "
      "reduction {:.3g} ns/B\n",
      platform.bytes_per_us, platform.link_latency_us, platform.overhead_us, platform.eager_bytes,
      platform.reduce_us_per_byte * 1e3);
  if (checked.empty()) return;
  const std::string columns =
      fmt::format("{:>7} {:>8} {:>8} {:>8}", "cells", "median", "90 %", "ratio");
  fmt::print("  {:<20}  {:<34}  {}\n", "", "made from these", "held out");
  fmt::print("  {:<20}  {}  {}\n", "collective", columns, columns);
  for (const Checked& one : checked) {
    fmt::print("  {:<20}  {}  {}\n", name(one.collective), error_text(one.used),
               error_text(one.held_out));
  }
  fmt::print(
      "  median, 90 %: of |platform - profile| / profile, in %; ratio: platform / profile, "
      "geometric "
      "mean\n");
}

void print_json(const parametric::CalibratedPlatform& platform, const profile::SystemInfo& system,
                const CalibrateOptions& options, const std::vector<Checked>& checked) {
  Json collectives = Json::array();
  for (const Checked& one : checked) {
    collectives.push_back({{"collective", name(one.collective)},
                           {"used", parametric::simulated_error_json(one.used)},
                           {"held_out", parametric::simulated_error_json(one.held_out)}});
  }
  fmt::print("{}\n", Json{{"platform", options.output},
                          {"system", system.name},
                          {"provenance", system.provenance},
                          {"mpi", system.mpi},
                          {"hosts", platform.hosts},
                          {"bytes_per_us", platform.bytes_per_us},
                          {"link_latency_us", platform.link_latency_us},
                          {"overhead_us", platform.overhead_us},
                          {"eager_bytes", platform.eager_bytes},
                          {"reduce_us_per_byte", platform.reduce_us_per_byte},
                          {"collectives", collectives}}
                         .dump(2));
}

std::uint64_t most_ranks(const std::vector<Timings>& all) {
  std::uint64_t most = 2;
  for (const Timings& timings : all) {
    for (const Instance& at : timings.instances) most = std::max(most, at.communicator_size);
  }
  return most;
}

void run_calibrate(const CalibrateOptions& options) {
  const SystemTimings loaded = load_system_timings(options.input);
  ProfileOptions whole = options.input;  // whichever collectives are checked
  whole.collectives.clear();
  const std::vector<Timings> all = load_system_timings(whole).timings;
  const std::uint64_t hosts = std::max(options.hosts, most_ranks(loaded.timings));
  const parametric::CalibratedPlatform platform =
      parametric::calibrate(parametric::observe_point_to_point(all), hosts);
  const std::string name = fs::path(options.output).stem();
  write_file(options.output,
             parametric::platform_xml(
                 platform, name,
                 fmt::format("{}: {} hosts, calibrated on {} ({}, {})", name, hosts,
                             loaded.system.name, loaded.system.provenance, loaded.system.mpi)));
  const auto checked = options.no_check ? std::vector<Checked>() : check(loaded.timings, options);
  options.input.json ? print_json(platform, loaded.system, options, checked)
                     : print_text(platform, loaded.system, options, checked);
}

}  // namespace

void declare_calibrate(CommandLine& line) {
  auto options = std::make_shared<CalibrateOptions>();
  add_profile_options(line, options->input);
  line.add_output("-o,--output", options->output, "the platform file, e.g. mine.xml").required();
  line.add("--hosts", options->hosts, limits::kMeasuredRanks,
           "number of platform hosts (default: the ranks of the largest communicator)");
  line.add("--jobs", options->jobs, limits::kJobs,
           "number of simulations at once (default: one for each core)");
  line.add_flag("--no-check", options->no_check,
                "do not simulate the profile's cells to say how far off the platform is");
  line.set_work([options] { run_calibrate(*options); });
}

}  // namespace colltree::cli
