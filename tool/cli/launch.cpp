// SPDX-License-Identifier: BSD-3-Clause
#include "cli/launch.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "base/input.h"
#include "base/options.h"
#include "base/process.h"
#include "base/streams.h"
#include "base/text.h"
#include "measure/job.h"
#include "measure/platform.h"

namespace colltree::cli {

namespace {

namespace fs = std::filesystem;

std::string library_name(const std::string& flavour) {
  return fmt::format("libcolltree-{}.so", flavour);
}

std::string library_of(const std::string& mpi, const std::vector<std::string>& flavours) {
  if (!mpi.empty()) return measure::find_program(library_name(mpi));
  for (const std::string& flavour : flavours) {
    if (const auto library = measure::try_program(library_name(flavour))) return *library;
  }
  const std::vector<std::string> built = measure::built_flavours();
  if (built.size() == 1) return measure::find_program(library_name(built.front()));
  throw UsageError(fmt::format("cannot tell which MPI library the program has; say --mpi {}",
                               join(built.empty() ? measure::flavours() : built, " or --mpi ")));
}

Passing passing_of(const std::string& launcher, const LibraryInfo* library) {
  if (launcher == "srun") return Passing::kExport;
  if (launcher == "orterun" || launcher == "prterun" || launcher == "prun")
    return Passing::kEachProgram;
  if (library == nullptr) return Passing::kInherited;
  return library->hand_over == HandOver::kEachProgram ? Passing::kEachProgram
                                                      : Passing::kAllPrograms;
}

// A profiler names the PMPI functions that it calls.
bool is_profiler(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && read_file(path).find("PMPI_") != std::string::npos;
}

void add_order(const JoinedCommand& command, const std::string& library,
               std::vector<std::string>& remarks) {
  for (std::string preload : command.preloads) {
    std::ranges::replace(preload, ' ', ':');
    for (const std::string_view path : split(preload, ':')) {
      if (path != library && is_profiler(std::string(path)))
        remarks.push_back(
            fmt::format("{} is loaded behind {}: it sees MPI_Init and all functions but the "
                        "collectives, which colltree carries out",
                        path, fs::path(library).filename().string()));
    }
  }
}

}  // namespace

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

void add_program_mpi_option(CLI::App& app, std::string& mpi) {
  std::vector<std::string> flavours = measure::flavours();
  flavours.emplace_back("abi");
  app.add_option(
         "--mpi", mpi,
         "the MPI library that the program is linked with (default: found, or the launcher's)")
      ->check(CLI::IsMember(flavours));
}

Launch launch_of(const std::vector<std::string>& words, const std::string& mpi,
                 const std::vector<Setting>& settings) {
  UserCommand command{.words = words, .launcher = find_launcher(words)};
  if (const char* preload = std::getenv("LD_PRELOAD")) command.preload = preload;
  const bool has_launcher = command.launcher < words.size();
  const std::string word = has_launcher ? words[command.launcher] : "";
  const std::string launcher = fs::path(word).filename();
  const LibraryInfo* said = launcher.starts_with("mpi") || launcher == "orterun"
                                ? measure::launcher_library(word)
                                : nullptr;
  command.passing = passing_of(launcher, said);
  const std::string linked =
      linked_flavour(std::span(words).subspan(has_launcher ? command.launcher + 1 : 0));
  const std::string launched(said == nullptr ? "" : said->name);
  Launch launch{.library = library_of(mpi, {linked, launched})};
  // Intel MPI has MPICH's handles, too.
  launch.runs = launched.empty() && linked == "openmpi" ? linked : launched;
  JoinedCommand joined = with_settings(command, launch.library, settings);
  add_order(joined, launch.library, launch.remarks);
  launch.words = std::move(joined.words);
  return launch;
}

bool is_first_rank() {
  constexpr const char* kRanks[] = {"PMI_RANK", "PMIX_RANK", "SLURM_PROCID"};
  return std::ranges::all_of(kRanks, [](const char* name) {
    const char* rank = std::getenv(name);
    return rank == nullptr || std::string_view(rank) == "0";
  });
}

void say_remarks(const Launch& launch) {
  if (!is_first_rank()) return;
  for (const std::string& remark : launch.remarks) say(fmt::format("colltree: {}\n", remark));
}

}  // namespace colltree::cli
