// SPDX-License-Identifier: BSD-3-Clause
// `colltree verify program`: what a program's time becomes under another command, measured in
// turns, which calls changed, and which variable did it.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "base/work.h"
#include "cli/command.h"
#include "cli/launch.h"
#include "cli/program_report.h"
#include "cli/program_settings.h"
#include "cli/record_sites.h"
#include "measure/campaign_request.h"
#include "measure/installed_library.h"

namespace colltree::cli {

namespace {

using Words = std::vector<std::string>;

struct ProgramOptions {
  std::array<std::string, 2> commands;
  std::string mpi;
  std::string budget;
  evaluate::StopRule stop;
  bool bisect = false;
  bool json = false;
  std::string output;
};

// The record lies in the working folder, which the nodes of a job share.
std::filesystem::path record_path() {
  return std::filesystem::current_path() / fmt::format("colltree-record-{}.csv", ::getpid());
}

void run_to_end(const Words& words, const std::string& called) {
  ChildProcess child(words);
  std::string last;
  const auto skip = [](std::string_view) { return ChildProcess::LineKind::kOther; };
  const auto end = child.read(INFINITY, interrupted, skip, [&](std::string_view line) {
    if (says_something(line)) last = ": " + printable(line);
  });
  const std::string failure = child.wait();
  if (end == ChildProcess::Outcome::kInterrupted) throw Unfinished("interrupted");
  if (!failure.empty()) throw Error(fmt::format("{}: {}{}", called, failure, last));
}

// Puts the place in the sources where the record has an address, which another build changes.
void name_sites(CallRecord& record) {
  std::vector<CallSite*> sites;
  for (RecordedCalls& row : record.rows) sites.push_back(&row.site);
  for (PassedCalls& row : record.passed) sites.push_back(&row.site);
  std::erase_if(sites, [](const CallSite* site) { return site->where.empty(); });
  std::vector<SiteCost> costs;
  for (const CallSite* site : sites) costs.push_back({.site = *site});
  const std::vector<std::string> places = places_of(costs);
  for (std::size_t i = 0; i < sites.size(); ++i) sites[i]->where = places[i];
}

evaluate::ProgramRun recorded_run(const Launch& launch, const std::string& called) {
  const TransientFile file(record_path(), "");
  const auto begin = std::chrono::steady_clock::now();
  run_to_end(launch.words, called);
  const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - begin;
  if (std::filesystem::file_size(file.path()) == 0)
    throw Error(
        fmt::format("{}: recorded nothing, because MPI_Init did not pass through {}; 'colltree run "
                    "--record F -- COMMAND' says more",
                    called, launch.library));
  CallRecord record = load_call_record(file.path());
  name_sites(record);
  return evaluate::program_run(whole.count(), record);
}

// Changes with every pair, so that what was measured before a command failed stays.
void measure_pairs(const CommandParts& a, const CommandParts& b, const std::string& title,
                   const ProgramOptions& options, evaluate::ProgramChange& change) {
  const std::array<Words, 2> commands = {command_words(a), command_words(b)};
  std::vector<Launch> launches;
  for (const Words& words : commands) {
    launches.push_back(launch_of(words, options.mpi, {{"COLLTREE_RECORD", record_path()}}));
    say_remarks(launches.back());
  }
  Progress progress(title, evaluate::kFewestPairs, "pairs");
  std::vector<evaluate::ProgramPair> pairs;
  while (!evaluate::are_enough(pairs, options.stop)) {
    evaluate::ProgramPair pair;
    // AB, BA, AB, ..., so that a slow drift of the machine costs both the same.
    for (const std::size_t i : {pairs.size() % 2, 1 - pairs.size() % 2})
      pair[i] = recorded_run(launches[i], join(commands[i], " "));
    pairs.push_back(std::move(pair));
    change = evaluate::change_of(pairs);
    progress.set_total(std::max(pairs.size() + 1, evaluate::kFewestPairs));
    progress.set_note(fmt::format("b / a {:.3f}", change.totals[0].ratio.middle));
    progress.advance();
  }
}

// Measures the share of the difference, of logarithms, that b has. Throws Unfinished.
void measure_step(const CommandParts& a, const CommandParts& b, const evaluate::Estimate& whole,
                  ProgramOptions options, Explained& step) {
  const auto share = [&](double ratio) { return std::log(ratio) / std::log(whole.middle); };
  options.stop.judges_calls = false;
  evaluate::ProgramChange change;
  try {
    measure_pairs(a, b, join(step.settings, " and "), options, change);
  } catch (const Unfinished&) {
    throw;
  } catch (const Error& error) {
    step.failure = error.what();
    step.share.middle = 0;
    return;
  }
  const auto& [middle, interval] = change.totals[0].ratio;
  step.share = {share(middle), {share(interval.low), share(interval.high)}};
  if (whole.middle < 1) std::swap(step.share.interval.low, step.share.interval.high);
}

void bisect(const CommandParts& a, const CommandParts& b, const ProgramOptions& options,
            ProgramReport& report) {
  constexpr double kEnough = 0.5;  // of the difference
  const SettingKeys differing = differing_settings(a, b);
  const auto step_of = [&](const SettingKeys& keys) {
    Explained step{.share = {1, {1, 1}}};
    for (const SettingKey& key : keys) step.settings.push_back(setting_text(key, a, b));
    if (keys.size() == differing.size()) return step;
    const auto known = std::ranges::find(report.steps, step.settings, &Explained::settings);
    if (known != report.steps.end()) return *known;
    measure_step(a, with_settings_of(a, b, keys), report.change.totals[0].ratio, options, step);
    return report.steps.emplace_back(step);
  };
  report.answer = step_of(smallest_explaining(
      differing, [&](const SettingKeys& keys) { return step_of(keys).share.middle >= kEnough; }));
}

void print(const ProgramReport& report, const ProgramOptions& options) {
  if (report.change.pairs == 0) return;
  if (options.json) return print_results("colltree/program/1", program_json(report));
  if (!options.output.empty()) write_or_print(options.output, program_csv(report));
  if (options.output != "-") fmt::print("{}", program_text(report));
}

void finish(const evaluate::ProgramChange& change) {
  if (change.pairs < evaluate::kFewestPairs)
    throw Unfinished(
        fmt::format("cannot tell: an interval needs {} pairs, and the --budget was spent after {}",
                    evaluate::kFewestPairs, change.pairs));
  const auto& [middle, interval] = change.totals[0].ratio;
  if (evaluate::verdict(change.totals[0]) == "slower")
    throw Error(fmt::format("b takes {:.3f} times as long as a ({:.3f} to {:.3f})", middle,
                            interval.low, interval.high));
}

void verify_program(ProgramOptions options) {
  if (options.json && !options.output.empty())
    throw UsageError("--output and --json: give one of them");
  if (!options.budget.empty()) {
    const auto budget_s = measure::parse_budget(options.budget).seconds;
    if (!budget_s)
      throw UsageError(
          fmt::format("--budget: expected a time (90s, 30m, 2h), got '{}'", options.budget));
    options.stop.budget_s = *budget_s;
    options.stop.fewest_pairs = 1;
  }
  const CommandParts a = command_parts(measure::split_command(options.commands[0], "--a"));
  const CommandParts b = command_parts(measure::split_command(options.commands[1], "--b"));
  if (options.bisect) differing_settings(a, b);
  const InterruptGuard guard;
  ProgramReport report{.commands = options.commands};
  try {
    measure_pairs(a, b, "a and b", options, report.change);
    if (options.bisect && evaluate::verdict(report.change.totals[0]) != evaluate::kNoDifference)
      bisect(a, b, options, report);
  } catch (const Error&) {  // what was measured is not lost
    print(report, options);
    throw;
  }
  print(report, options);
  finish(report.change);
}

}  // namespace

void declare_program(CLI::App& app) {
  auto options = std::make_shared<ProgramOptions>();
  app.add_option("--a", options->commands[0],
                 "the command to compare with: VAR=VALUE..., the launcher, the program; it is "
                 "divided into words as a shell does")
      ->required();
  app.add_option("--b", options->commands[1], "the other command")->required();
  app.add_flag("--bisect", options->bisect,
               "find out which of the variables and parameters that differ makes the difference");
  add_program_mpi_option(app, options->mpi);
  app.add_option("--half-width", options->stop.half_width,
                 "stop when the confidence interval of the ratio of the times is this narrow (half "
                 "its width, as a fraction)")
      ->transform(real_number(protocol::kHalfWidthRange))
      ->capture_default_str();
  app.add_option("--budget", options->budget,
                 "begin no pair of runs that would pass this time (90s, 30m, 2h), of each step of "
                 "--bisect again (default: 10m, but six pairs)");
  app.add_option("-o,--output", options->output, "write CSV, too; -: to standard output instead")
      ->check(output_file(true));
  app.add_flag("--json", options->json, "print the results as JSON");
  app.callback([options] { verify_program(*options); });
}

}  // namespace colltree::cli
