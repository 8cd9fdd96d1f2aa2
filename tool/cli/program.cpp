// SPDX-License-Identifier: BSD-3-Clause
// `colltree verify program`: what a program's time becomes under another command, measured in
// turns, which calls changed, and which variable did it.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "base/streams.h"
#include "base/text.h"
#include "base/work.h"
#include "cli/command.h"
#include "cli/launch.h"
#include "cli/program_report.h"
#include "cli/program_settings.h"
#include "cli/record_sites.h"
#include "deploy/bisect.h"
#include "deploy/turns.h"
#include "measure/campaign_request.h"
#include "measure/installed_library.h"
#include "timings/recorded_cost.h"

namespace colltree::cli {

namespace {

using Words = std::vector<std::string>;
using Pairs = std::vector<evaluate::ProgramPair>;

struct ProgramOptions {
  std::array<std::string, 2> commands;
  std::string mpi;
  std::string budget;
  double half_width = 0.02;
  bool bisect = false;
  bool json = false;
  std::string output;
};

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A command that runs under the recorder.
class RecordedCommand {
 public:
  // The record lies in the working folder, which the nodes of a job share.
  RecordedCommand(const Words& words, const std::string& mpi)
      : text_(join(words, " ")),
        record_(std::filesystem::current_path() /
                    fmt::format("colltree-record-{}-{}.csv", ::getpid(), ++made_),
                ""),
        launch_(launch_of(known_command(words), mpi, {{"COLLTREE_RECORD", record_.name()}})) {
    for (const std::string& remark : launch_.remarks) say(fmt::format("colltree: {}\n", remark));
  }

  evaluate::ProgramRun run() const {
    write_file(record_.path(), "");
    const double begin_s = seconds_now();
    run_to_end();
    const double whole_s = seconds_now() - begin_s;
    if (std::filesystem::file_size(record_.path()) == 0)
      throw Error(
          fmt::format("{}: recorded nothing, because MPI_Init did not pass through {}; 'colltree "
                      "run --record F -- COMMAND' says more",
                      text_, launch_.library));
    CallRecord record = load_call_record(record_.path());
    name_sites(record);
    return evaluate::program_run(whole_s, record);
  }

 private:
  void run_to_end() const {
    constexpr double kNoLimit_s = std::numeric_limits<double>::infinity();
    ChildProcess child(launch_.words);
    std::string last;
    const auto skip = [](std::string_view) { return ChildProcess::LineKind::kOther; };
    const auto end = child.read(kNoLimit_s, interrupted, skip, [&](std::string_view line) {
      if (says_something(line)) last = ": " + printable(line);
    });
    const std::string failure = child.wait();
    if (end == ChildProcess::Outcome::kInterrupted) throw Unfinished("interrupted");
    if (!failure.empty()) throw Error(fmt::format("{}: {}{}", text_, failure, last));
  }

  // Puts the place in the sources where the record has an address, which another build changes.
  static void name_sites(CallRecord& record) {
    const std::vector<SiteCost> sites = site_costs(record, recorded_cost(record, {}));
    const std::vector<std::string> places = places_of(sites);
    std::map<std::string, std::string> named = {{"", ""}};
    for (std::size_t i = 0; i < sites.size(); ++i) named.emplace(sites[i].site.where, places[i]);
    for (RecordedCalls& row : record.rows) row.site.where = named[row.site.where];
    for (PassedCalls& row : record.passed) row.site.where = named[row.site.where];
  }

  static inline int made_ = 0;
  std::string text_;
  TransientFile record_;
  Launch launch_;
};

// Both commands in turns. The pairs that were measured before one of them failed stay.
void measure_pairs(const std::array<Words, 2>& commands, const std::string& title,
                   const ProgramOptions& options, Pairs& pairs) {
  const RecordedCommand a(commands[0], options.mpi);
  const RecordedCommand b(commands[1], options.mpi);
  Progress progress(title, evaluate::kFewestPairs, "pairs");
  deploy::Turns turns{.run = [&](std::size_t command) { return command == 0 ? a.run() : b.run(); },
                      .now_s = seconds_now,
                      .half_width = options.half_width};
  if (!options.budget.empty()) {
    turns.budget_s = *measure::parse_budget(options.budget).seconds;
    turns.fewest_pairs = 1;
  }
  turns.on_pair = [&](const Pairs& so_far) {
    progress.set_total(std::max(so_far.size() + 1, evaluate::kFewestPairs));
    progress.set_note(fmt::format("b / a {:.3f}", evaluate::whole_change(so_far).ratio.middle));
    progress.advance();
  };
  deploy::take_turns(turns, pairs);
}

// Measures one step of bisecting: the share of the difference, of logarithms, that the command
// between a and b has. Throws Unfinished.
void measure_step(const std::array<Words, 2>& commands, double whole_log,
                  const ProgramOptions& options, Explained& step) {
  Pairs pairs;
  step.share = 0;
  step.interval = {-INFINITY, INFINITY};
  try {
    measure_pairs(commands, join(step.settings, " and "), options, pairs);
  } catch (const Unfinished&) {
    throw;
  } catch (const Error& error) {
    step.failure = error.what();
    return;
  }
  const evaluate::Estimate ratio = evaluate::whole_change(pairs).ratio;
  step.share = std::log(ratio.middle) / whole_log;
  step.interval = {std::log(ratio.interval.low) / whole_log,
                   std::log(ratio.interval.high) / whole_log};
  if (whole_log < 0) std::swap(step.interval.low, step.interval.high);
}

void bisect(const std::array<CommandParts, 2>& parts, const evaluate::Change& whole,
            const ProgramOptions& options, ProgramReport& report) {
  constexpr double kEnough = 0.5;  // of the difference
  const std::vector<SettingKey> keys = differing_settings(parts[0], parts[1]);
  const auto texts = [&](const deploy::Places& places) {
    Words settings;
    for (const std::size_t place : places)
      settings.push_back(setting_text(keys[place], parts[0], parts[1]));
    return settings;
  };
  const auto explains = [&](const deploy::Places& places) {
    std::vector<SettingKey> chosen;
    for (const std::size_t place : places) chosen.push_back(keys[place]);
    const CommandParts mixed = with_settings_of(parts[0], parts[1], chosen);
    report.steps.push_back({.settings = texts(places)});
    measure_step({command_words(parts[0]), command_words(mixed)}, std::log(whole.ratio.middle),
                 options, report.steps.back());
    return report.steps.back().share >= kEnough;
  };
  Explained answer{.settings = texts(deploy::smallest_explaining(keys.size(), explains))};
  const auto measured = std::ranges::find(report.steps, answer.settings, &Explained::settings);
  report.answer = measured == report.steps.end() ? answer : *measured;
}

void finish(const evaluate::ProgramChange& change, std::size_t pairs) {
  if (pairs < evaluate::kFewestPairs)
    throw Unfinished(
        fmt::format("cannot tell: an interval needs {} pairs, and the --budget was spent after {}",
                    evaluate::kFewestPairs, pairs));
  if (evaluate::verdict(change.whole) == "slower")
    throw Error(fmt::format("b takes {:.3f} times as long as a ({:.3f} to {:.3f})",
                            change.whole.ratio.middle, change.whole.ratio.interval.low,
                            change.whole.ratio.interval.high));
}

void verify_program(const ProgramOptions& options) {
  if (options.json && !options.output.empty())
    throw UsageError("--output and --json: give one of them");
  if (!options.budget.empty() && !measure::parse_budget(options.budget).seconds)
    throw UsageError(
        fmt::format("--budget: expected a time (90s, 30m, 2h), got '{}'", options.budget));
  const std::array<CommandParts, 2> parts = {
      command_parts(measure::split_command(options.commands[0], "--a")),
      command_parts(measure::split_command(options.commands[1], "--b"))};
  if (options.bisect) differing_settings(parts[0], parts[1]);
  const InterruptGuard guard;
  Pairs pairs;
  ProgramReport report{.commands = options.commands};
  const auto print = [&] {
    if (pairs.empty()) return;
    report.pairs = pairs.size();
    report.change = evaluate::change_of(pairs);
    if (options.json) return fmt::print("{}", program_json(report));
    if (!options.output.empty()) write_or_print(options.output, program_csv(report));
    if (options.output != "-") fmt::print("{}", program_text(report));
  };
  try {
    measure_pairs({command_words(parts[0]), command_words(parts[1])}, "a and b", options, pairs);
    const evaluate::Change whole = evaluate::whole_change(pairs);
    if (options.bisect && evaluate::verdict(whole) != evaluate::kNoDifference)
      bisect(parts, whole, options, report);
  } catch (const Error&) {  // what was measured is not lost
    print();
    throw;
  }
  print();
  finish(*report.change, pairs.size());
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
  app.add_option("--half-width", options->half_width,
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
