// SPDX-License-Identifier: BSD-3-Clause
// `colltree run`: any MPI program under a compact decision file, by the library that stands in
// front of its collectives (docs/tasks/programs.md).
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/decision_file.h"
#include "coll/catalogue.h"
#include "coll/method.h"
#include "colltree/decision.h"
#include "measure/job.h"
#include "measure/platform.h"

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

struct Setting {
  std::string name;
  std::string value;
};

// A wrong model is an error here; within the program it would only be a line.
void check_model(const std::string& path) {
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
  colltree_decision_free(decision);
  require_our_methods(path, owner);
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

// Like a model: within the program it would only be a line.
void check_force(const std::string& force) {
  std::set<std::string_view> seen;
  for (const std::string_view item : split(force, ',')) {
    const std::size_t equals = item.find('=');
    const std::string_view word = item.substr(0, equals);
    const auto collective = find_collective(word);
    if (!collective || equals == std::string_view::npos)
      throw UsageError(fmt::format(
          "--force: expected COLLECTIVE=METHOD, as bcast=binomial/8K, comma-separated, got '{}'",
          item));
    if (!seen.insert(word).second)
      throw UsageError(fmt::format("--force: {} is given twice; give it once", word));
    if (!is_forcible(*collective, item.substr(equals + 1)))
      throw UsageError(fmt::format(
          "--force: no method of {}: '{}'; colltree measure methods --collective {} lists them",
          word, item.substr(equals + 1), word));
  }
}

std::vector<Setting> settings_of(const RunOptions& options, const std::string& library) {
  std::string preload = library;
  if (const char* others = std::getenv("LD_PRELOAD"); others != nullptr && *others != 0)
    preload += fmt::format(":{}", others);
  std::vector<Setting> settings = {{"LD_PRELOAD", preload}};
  if (!options.model.empty())
    settings.push_back({"COLLTREE_MODEL", fs::absolute(options.model).string()});
  if (!options.record.empty())
    settings.push_back({"COLLTREE_RECORD", fs::absolute(options.record).string()});
  if (!options.force.empty()) settings.push_back({"COLLTREE_FORCE", options.force});
  if (options.check) settings.push_back({"COLLTREE_CHECK", "1"});
  return settings;
}

void set_here(const std::vector<Setting>& settings) {
  for (const Setting& one : settings) ::setenv(one.name.c_str(), one.value.c_str(), 1);
}

// How each launcher gives variables to the ranks, on other nodes too.
std::vector<std::string> words_of(HandOver hand_over, const std::vector<Setting>& settings) {
  std::vector<std::string> words;
  for (const Setting& one : settings) {
    if (hand_over == HandOver::kEachProgram) {
      words.insert(words.end(), {"-x", fmt::format("{}={}", one.name, one.value)});
    } else {
      words.insert(words.end(), {"-genv", one.name, one.value});
    }
  }
  return words;
}

// The library is named to the tasks only; a comma, which --export takes for the end of a value, may
// stand in all others.
std::vector<std::string> words_of_srun(const std::vector<Setting>& settings) {
  if (settings.front().value.find(',') != std::string::npos)
    throw Error(
        fmt::format("srun --export cannot take {}, because of its comma", settings.front().value));
  set_here({settings.begin() + 1, settings.end()});
  return {fmt::format("--export=ALL,LD_PRELOAD={}", settings.front().value)};
}

// The word of the launcher: it may stand behind env, timeout or numactl. The size: there is none.
std::size_t find_launcher(const std::vector<std::string>& command) {
  const auto found = std::ranges::find_if(command, [](const std::string& word) {
    const std::string name = fs::path(word).filename();
    return name.starts_with("mpirun") || name.starts_with("mpiexec") || name == "srun" ||
           name == "orterun" || name == "prterun";
  });
  return static_cast<std::size_t>(found - command.begin());
}

// Whose handles the first of these words that is a program linked with an MPI library has; "": none
// is. Intel MPI and others have MPICH's.
std::string linked_flavour(std::span<const std::string> words) {
  constexpr std::pair<const char*, const char*> kLinked[] = {{"libmpi_abi.so.", "abi"},
                                                             {"libmpi.so.12", "mpich"},
                                                             {"libmpich.so.12", "mpich"},
                                                             {"libmpi.so.40", "openmpi"}};
  constexpr int kLimit_s = 10;
  for (const std::string& word : words) {
    if (word.starts_with('-')) continue;
    const std::string libraries =
        run_command({"sh", "-c", "ldd \"$(command -v \"$1\")\"", "sh", word}, kLimit_s).output;
    for (const auto& [library, flavour] : kLinked) {
      if (libraries.find(fmt::format("\t{}", library)) != std::string::npos) return flavour;
    }
  }
  return "";
}

std::string library_name(const std::string& flavour) {
  return fmt::format("libcolltree-{}.so", flavour);
}

// `flavours`: that of the program, that of the launcher; "" is neither.
std::string library_of(const RunOptions& options, const std::vector<std::string>& flavours) {
  if (!options.mpi.empty()) return measure::find_program(library_name(options.mpi));
  for (const std::string& flavour : flavours) {
    if (const auto library = measure::try_program(library_name(flavour))) return *library;
  }
  const std::vector<std::string> built = measure::built_flavours();
  if (built.size() == 1) return measure::find_program(library_name(built.front()));
  throw UsageError(fmt::format("cannot tell which MPI library the program has; say --mpi {}",
                               join(built.empty() ? measure::flavours() : built, " or --mpi ")));
}

// The words behind the launcher, and behind each ":" that begins another program of the same job:
// options of Open MPI's mpirun and of srun are those of one program. `once`: of all programs.
std::vector<std::string> with_words(const std::vector<std::string>& command, std::size_t launcher,
                                    const std::vector<std::string>& words, bool once) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < command.size(); ++i) {
    all.push_back(command[i]);
    if (i == launcher || (!once && i > launcher && command[i] == ":"))
      all.insert(all.end(), words.begin(), words.end());
  }
  return all;
}

std::vector<std::string> command_of(const RunOptions& options) {
  std::vector<std::string> command = options.command;
  const std::size_t at = find_launcher(command);
  const bool srun = at < command.size() && fs::path(command[at]).filename() == "srun";
  const LibraryInfo* said =
      at == command.size() || srun ? nullptr : measure::launcher_library(command[at]);
  const std::string linked =
      linked_flavour(std::span(command).subspan(at == command.size() ? 0 : at + 1));
  const std::string launched(said == nullptr ? "" : said->name);
  const std::vector<Setting> settings =
      settings_of(options, library_of(options, {linked, launched}));
  std::vector<std::string> words;
  bool once = false;
  if (srun) {
    words = words_of_srun(settings);
  } else if (said != nullptr) {
    words = words_of(said->hand_over, settings);
    once = said->hand_over == HandOver::kAllPrograms;
  } else {  // another launcher, or the program itself: what it inherits
    set_here(settings);
  }
  return words.empty() ? command : with_words(command, at, words, once);
}

void run_program(const RunOptions& options) {
  if (options.model.empty() && options.record.empty() && options.force.empty() && !options.check)
    throw UsageError("nothing to do: give --model F.cdt, --record F, or both");
  if (!options.model.empty()) check_model(options.model);
  if (!options.force.empty()) check_force(options.force);
  const std::vector<std::string> command = command_of(options);
  if (options.print) {
    fmt::print("{}\n", join(command, " "));
    return;
  }
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  std::fflush(nullptr);
  ::execvp(words.front(), words.data());
  throw Error(fmt::format("{}: {}", command.front(), std::strerror(errno)));
}

}  // namespace

void declare_run(CommandLine& line) {
  auto options = std::make_shared<RunOptions>();
  line.add("--model", options->model,
           "the compact decision file (from 'colltree tune' or 'colltree emit cdt')");
  line.add_output("--record", options->record,
                  "record the program's calls, their methods and their times in this file (for "
                  "'colltree show' and --mix)");
  line.add("--force", options->force,
           "use these methods instead of the model's: bcast=binomial/8K,reduce=linear");
  line.add_flag("--check", options->check,
                "check at every call that all ranks call the same (slow)");
  std::vector<std::string> flavours = measure::flavours();
  flavours.emplace_back("abi");
  line.add("--mpi", options->mpi,
           "the MPI library that the program is linked with (default: found, or the launcher's)")
      .one_of(flavours);
  line.add_flag("--print", options->print, "print the command instead of running it");
  line.add("command", options->command, "after '--': the launcher and the program").required();
  line.set_work([options] { run_program(*options); });
}

}  // namespace colltree::cli
