// SPDX-License-Identifier: BSD-3-Clause
// `colltree check`: what is wrong with a rules file, before a job runs with it.
#include <fmt/core.h>

#include <cmath>
#include <memory>
#include <optional>
#include <span>

#include "base/error.h"
#include "base/input.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/measure_options.h"
#include "cli/profile_options.h"
#include "deploy/live_check.h"
#include "evaluate/comparison.h"
#include "rules/check_rules.h"
#include "rules/rule_penalty.h"
#include "rules/rule_target.h"

namespace colltree::cli {

namespace {

struct CheckOptions {
  std::string file;
  std::string target;
  bool json = false;
  bool live = false;
  deploy::LiveOptions job;
  SizeList communicator_sizes{"2..4"};
  std::string profile;
  std::optional<std::string> system;
};

Json defect_json(const rules::Defect& defect) {
  return {{"line", defect.line}, {"severity", rules::name(defect.severity)}, {"text", defect.text}};
}

Json live_json(const deploy::LiveResult& live) {
  return {{"mpi", live.mpi},
          {"calls", live.calls},
          {"message_thresholds", live.message_thresholds},
          {"communicator_thresholds", live.communicator_thresholds},
          {"not_shown", live.not_shown},
          {"out_of_reach", live.out_of_reach},
          {"mismatches", live.mismatches},
          {"overriding", live.overriding}};
}

void print_live(const deploy::LiveResult& live) {
  for (const std::string& line : live.mismatches) fmt::print("mismatch: {}\n", line);
  for (const std::string& line : live.overriding) fmt::print("above the file: {}\n", line);
  for (const std::string& line : live.out_of_reach) fmt::print("not tried: {}\n", line);
  for (const std::string& line : live.not_shown) fmt::print("not shown: {}\n", line);
  fmt::print(
      "live, {}: {} thresholds of message size and {} of communicator size, {} calls compared; {} "
      "mismatches, {} thresholds not shown, {} not tried\n",
      live.mpi, live.message_thresholds, live.communicator_thresholds, live.calls,
      live.mismatches.size(), live.not_shown.size(), live.out_of_reach.size());
}

std::string summary_of(const rules::RuleSet& rules) {
  std::string text;
  for (const rules::CollectiveRules& collective_rules : rules.collectives) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name(collective_rules.collective),
                        collective_rules.rules.size());
  }
  return text.empty() ? "no rules" : "rules: " + text;
}

// A script has a summary for each of its runs.
std::string summary_of(const rules::RuleFile& file) {
  if (file.runs.empty()) return summary_of(file.rules);
  std::string text = fmt::format("{} runs", file.runs.size());
  constexpr std::size_t kShown = 8;
  for (const rules::RunRules& run : std::span(file.runs).first(std::min(kShown, file.runs.size())))
    text += fmt::format(", {}: {}", rules::run_text(run), summary_of(run.rules));
  return text + (file.runs.size() > kShown ? ", ..." : "");
}

// The versions that are known to read such files.
std::string known_text(const rules::RuleTarget& target) {
  return *target.versions.library == '\0' ? "" : rules::text(target.versions);
}

// The penalty on a profile counts the rules as the reader of the file understands them.
std::optional<rules::RulePenalty> penalty_of(const CheckOptions& options,
                                             const rules::RuleTarget& target,
                                             const rules::RuleFile& file) {
  if (options.profile.empty()) return std::nullopt;
  const ProfileOptions input{.profile = options.profile, .system = options.system};
  return rules::rule_penalty(file.rules, load_system_timings(input).timings, &target,
                             rules::RuleUnit::kKey);
}

std::string penalty_text(const rules::RulePenalty& penalty) {
  return fmt::format(
      "mean penalty on the profile: {} % ({} instances{}{})",
      format_double(std::round(penalty.mean * 10000) / 100), penalty.instances,
      evaluate::of_them_predicted(penalty.predicted),
      penalty.without_time == 0 ? "" : fmt::format(", {} without a time", penalty.without_time));
}

void check(const CheckOptions& options) {
  if (options.system && options.profile.empty()) throw UsageError("--system: needs --on P.db");
  if (!options.live && !options.job.launcher.empty())
    throw UsageError("--launcher: needs --live, which starts jobs");
  const std::string content = read_file(options.file, kMostModelBytes);
  const rules::RuleTarget& target =
      rules::find_or_detect_target(options.target, content, options.file);
  const rules::RuleFile file = rules::check_rules(target, content);
  if (!file.runs.empty() && (options.live || !options.profile.empty()))
    throw UsageError(
        fmt::format("{}: runs several commands under settings of their own; --live "
                    "and --on take a file for one",
                    options.file));
  const std::size_t errors = file.count(rules::Severity::kError);
  const std::size_t unsafe = file.count(rules::Severity::kUnsafe);
  const std::optional<rules::RulePenalty> penalty = penalty_of(options, target, file);
  std::optional<deploy::LiveResult> live;
  if (options.live && errors == 0) {
    deploy::LiveOptions job = options.job;
    if (target.library) job.mpi = flavour_for(job.launcher, job.mpi, name(*target.library));
    job.communicator_sizes = options.communicator_sizes.sizes;
    live = deploy::check_live(target, file.rules, options.file, job);
  }
  if (options.json) {
    Json json = {{"file", options.file},
                 {"for", target.name},
                 {"known", known_text(target)},
                 {"errors", errors},
                 {"unsafe", unsafe},
                 {"defects", json_list(file.defects, defect_json)}};
    if (penalty)
      json["penalty"] = {{"mean", penalty->mean},
                         {"instances", penalty->instances},
                         {"without_time", penalty->without_time}};
    if (live) json["live"] = live_json(*live);
    print_results("colltree/check/1", json);
  } else {
    for (const rules::Defect& defect : file.defects)
      fmt::print("{}:{}: {}: {}\n", options.file, defect.line, rules::name(defect.severity),
                 defect.text);
    fmt::print("{} for {}: {}; {} errors, {} unsafe, {} warnings\n", options.file, target.name,
               summary_of(file), errors, unsafe, file.count(rules::Severity::kWarning));
    if (options.target.empty()) fmt::print("--for {}: as the file says\n", target.name);
    if (const std::string known = known_text(target); !known.empty())
      fmt::print("known: {}\n", known);
    if (penalty) fmt::print("{}\n", penalty_text(*penalty));
    if (live) print_live(*live);
  }
  if (errors + unsafe > 0) {
    throw Error(fmt::format("{}: not fit for {}: {} errors, {} unsafe rules", options.file,
                            target.name, errors, unsafe));
  }
  if (live && !live->mismatches.empty())
    throw Error(fmt::format("{}: {} does not do what the file says in {} of {} calls{}",
                            options.file, live->mpi, live->mismatches.size(), live->calls,
                            live->overriding.empty() ? "" : "; " + live->overriding.front()));
}

}  // namespace

void declare_check(CLI::App& app) {
  auto options = std::make_shared<CheckOptions>();
  std::string targets;
  for (const rules::RuleTarget& target : rules::rule_targets())
    targets += fmt::format("  {:<14} {}\n", target.name, target.summary);
  app.add_option("file", options->file, "the rules file")->required();
  app.add_option(
      "--for", options->target,
      "the program that reads the file, one of the targets below (default: recognised by "
      "the file)");
  app.add_option("--on", options->profile,
                 "also compute the mean penalty of the rules on this profile");
  app.add_option("--system", options->system, "the system, if the profile holds several");
  app.add_flag("--live", options->live,
               "also run the installed library under the file and find where it really switches");
  app.option_defaults()->group("For --live");
  add_launcher_options(app, options->job.launcher, options->job.mpi);
  app.add_option("--communicator-sizes", options->communicator_sizes,
                 "numbers of ranks to try, as a list with ranges; a job of the largest is started")
      ->transform(size_list(limits::kMeasuredRanks))
      ->default_str(options->communicator_sizes.text);
  app.option_defaults()->group("Options");
  app.add_flag("--json", options->json, "print the results as JSON");
  app.footer(fmt::format("Targets:\n{}\n{}", targets, app.get_footer()));
  app.callback([options] { check(*options); });
}

}  // namespace colltree::cli
