// SPDX-License-Identifier: BSD-3-Clause
// `colltree run`: any MPI program under a compact decision file, by the library that stands in
// front of its collectives (docs/tasks/programs.md).
#include <fmt/core.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "base/input.h"
#include "base/streams.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/decision_file.h"
#include "cli/foreground.h"
#include "cli/launch.h"
#include "coll/catalogue.h"
#include "coll/method.h"
#include "colltree/decision.h"
#include "report/command_lines.h"

namespace colltree::cli {

namespace {

namespace fs = std::filesystem;

struct RunOptions {
  std::string model;
  std::string record;
  std::string force;
  std::string mpi;
  bool check = false;
  bool print = false;
  std::vector<std::string> command;
};

// One line if the model may be wrong for this job though it can be used, because another library
// has other times and another default; else "". `library`: the one that runs, or whose handles it
// has;
// "": it is not known.
std::string doubts(const std::string& path, const colltree_origin& origin,
                   std::string_view library) {
  const std::string_view mpi = origin.mpi;
  const std::string_view measured = mpi.substr(0, mpi.find('-'));
  const auto is_known = [](std::string_view word) {
    return std::ranges::any_of(libraries(), [&](const auto& info) { return info.name == word; });
  };
  if (std::string_view(origin.provenance) == "simulated") {
    return fmt::format("{}: its times were simulated, not measured on a machine", path);
  } else if (*origin.algorithms == 0) {
    return fmt::format(
        "{}: it does not say whose algorithms its times are of; ours of the same names run", path);
  } else if (is_known(measured) && is_known(library) && measured != library) {
    return fmt::format("{}: its times were measured under {}, another MPI library", path, mpi);
  }
  return "";
}

// A wrong model is an error here; within the program it would only be a line. Returns what may be
// wrong with it, or "".
std::string check_model(const std::string& path, std::string_view library) {
  char error[512];
  colltree_decision* decision = colltree_decision_load(path.c_str(), error, sizeof error);
  if (decision == nullptr) {
    throw Error(fs::path(path).extension() == ".json"
                    ? fmt::format("{}: is not a compact decision file; write one: colltree emit "
                                  "cdt {} -o F.cdt",
                                  path, path)
                    : error);
  }
  const std::string owner = owner_of_methods(*decision);
  const colltree_origin origin = colltree_decision_origin(decision);
  std::string doubt = owner.empty() ? doubts(path, origin, library) : "";
  colltree_decision_free(decision);
  require_our_methods(path, owner);
  return doubt;
}

// "8K" as the library reads it.
bool is_segment_size(std::string_view text) {
  if (text.ends_with('K') || text.ends_with('M')) text.remove_suffix(1);
  return parse_number<std::uint64_t>(text).has_value();
}

bool is_forcible(Collective collective, std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::string_view algorithm = text.substr(0, slash);
  if (algorithm == kDefaultAlgorithm) return slash == std::string_view::npos;
  const Method method = parse_method_name(algorithm);
  const AlgorithmInfo* info = find_portable_algorithm(collective, without_source(method.algorithm));
  if (info == nullptr || !takes(*info, method.parameters)) return false;
  return slash == std::string_view::npos || is_segment_size(text.substr(slash + 1));
}

// A wrong method is an error here; within the program it would only be a line.
void check_force(const std::string& force) {
  std::set<std::string_view> seen;
  for (const std::string_view item : split(force, ',')) {
    const std::size_t equals = item.find('=');
    const std::string_view word = item.substr(0, equals);
    const auto collective = find_collective(word);
    if (!collective || equals == std::string_view::npos)
      throw UsageError(fmt::format(
          "--methods: expected COLLECTIVE=METHOD, as bcast=binomial/8K, comma-separated, got '{}'",
          item));
    if (!seen.insert(word).second)
      throw UsageError(fmt::format("--methods: {} is given twice; give it once", word));
    if (!is_forcible(*collective, item.substr(equals + 1)))
      throw UsageError(fmt::format(
          "--methods: no method of {}: '{}'; colltree measure methods --collective {} lists them",
          word, item.substr(equals + 1), word));
  }
}

std::vector<Setting> settings_of(const RunOptions& options) {
  std::vector<Setting> settings;
  if (!options.model.empty())
    settings.push_back({"COLLTREE_MODEL", fs::absolute(options.model).string()});
  if (!options.record.empty())
    settings.push_back({"COLLTREE_RECORD", fs::absolute(options.record).string()});
  if (!options.force.empty()) settings.push_back({"COLLTREE_FORCE", options.force});
  if (options.check) settings.push_back({"COLLTREE_CHECK", "1"});
  return settings;
}

Launch launch_of(const RunOptions& options) {
  if (!options.model.empty()) require_no_rules_instead(options.model);
  Launch launch = launch_of(options.command, options.mpi, settings_of(options));
  if (options.model.empty()) return launch;
  const std::string doubt = check_model(options.model, launch.runs);
  if (!doubt.empty()) launch.remarks.insert(launch.remarks.begin(), doubt);
  return launch;
}

// True if the notes of the processes on this machine (runtime/entries.cpp) show that no MPI_Init
// passed through colltree's library. Ranks on other machines note nothing here.
bool missed_every_rank(const std::string& notes, const Ended& ended) {
  bool missed = false;
  bool is_rank = false;
  std::set<std::string_view> loaded;
  std::string program;  // that of this command's own process, which started no other
  for (const std::string_view line : split(notes, '\n')) {
    const std::vector<std::string_view> words = split(line, ' ');
    if (words.size() < 3) continue;
    const std::string_view event = words[1];
    const std::string detail(line.substr(words[0].size() + event.size() + 2));
    if (event == "entered") return false;
    if (event == "loaded") loaded.insert(words[0]);
    if (event == "ended" && words[0] == std::to_string(ended.process)) program = detail;
    missed = missed || event == "missed";
    // A variable that this program has, too, is none of the job's.
    is_rank = is_rank || (event == "rank" && std::getenv(detail.c_str()) == nullptr);
  }
  const bool worked = WIFEXITED(ended.status) && WEXITSTATUS(ended.status) == 0;
  const auto is_mpi_program = [&] {
    return !program.empty() && loaded.size() == 1 &&
           !linked_flavour(std::span(&program, 1)).empty();
  };
  return missed || (worked && (is_rank || is_mpi_program()));
}

void say_missed(const std::string& library) {
  say(fmt::format(
      "colltree: MPI_Init did not pass through colltree's library, so nothing was decided or "
      "recorded; a program that opens the MPI library itself (Julia, ctypes) must open {} instead "
      "(docs/tasks/programs.md, 'What is not covered')\n",
      library));
}

Ended run_to_the_end(const Launch& launch) {
  std::unique_ptr<TransientFolder> folder;
  std::string notes;
  try {
    folder = std::make_unique<TransientFolder>();
    notes = (folder->path() / "entries").string();
    write_file(notes, "");
    ::setenv("COLLTREE_ENTRIES", notes.c_str(), 1);
  } catch (const Error&) {  // the program can run without
    folder.reset();
  }
  Ended ended = run_in_foreground(launch.words);
  if (folder != nullptr && is_first_rank() && missed_every_rank(read_file(notes), ended))
    say_missed(launch.library);
  return ended;
}

void run_program(const RunOptions& options) {
  if (options.model.empty() && options.record.empty() && options.force.empty() && !options.check)
    throw UsageError("nothing to do: give --model F.cdt, --record F, or both");
  if (!options.force.empty()) check_force(options.force);
  const Launch launch = launch_of(options);
  if (options.print) {
    std::vector<std::string> words;
    for (const std::string& word : launch.words) words.push_back(report::shell_word(word));
    fmt::print("{}\n", join(words, " "));
    finish_output();  // what is lost is the one thing to say
    return say_remarks(launch);
  }
  say_remarks(launch);
  end_alike(run_to_the_end(launch));
}

}  // namespace

void declare_run(CLI::App& app) {
  auto options = std::make_shared<RunOptions>();
  app.add_option("--model", options->model,
                 "the compact decision file (from 'colltree tune' or 'colltree emit cdt')");
  app.add_option("--record", options->record,
                 "record the program's calls, their methods and their times in this file (for "
                 "'colltree show' and --mix)")
      ->check(output_file());
  app.add_option("--methods", options->force,
                 "use these methods instead of the model's: bcast=binomial/8K,reduce=linear");
  app.add_flag("--check", options->check,
               "check at every call that all ranks call the same (slow)");
  add_program_mpi_option(app, options->mpi);
  app.add_flag("--dry-run", options->print, "print the command instead of running it");
  app.add_option("command", options->command, "after '--': the launcher and the program")
      ->required();
  app.callback([options] {
    // CLI11 would make two words of "[1,2]" in a list.
    const std::vector<std::string>& words = words_of_run();
    const auto dashes = std::ranges::find(words, "--");
    if (dashes != words.end()) options->command.assign(dashes + 1, words.end());
    run_program(*options);
  });
}

}  // namespace colltree::cli
