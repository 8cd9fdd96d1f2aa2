// SPDX-License-Identifier: BSD-3-Clause
#include "measure/job_starter.h"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "coll/library_methods.h"
#include "measure/launch.h"
#include "measure/library_survey.h"
#include "measure/platform.h"

namespace colltree {

namespace {

constexpr double kSilence = 120;  // seconds

std::string choose_flavour(const std::string& launcher) {
  const std::vector<std::string> built = built_flavours();
  if (built.empty()) return find_program("colltree-measure-*");  // says where it looked
  if (built.size() == 1) return built.front();
  const std::string found = launcher_flavour(launcher);
  if (std::ranges::find(built, found) != built.end()) return found;
  throw UsageError(fmt::format("cannot tell which MPI library '{}' starts; say --mpi {}", launcher,
                               join(built, " or --mpi ")));
}

}  // namespace

// From "mpirun (Open MPI) 4.1.4", "HYDRA build details: Version: 4.0.2".
std::string launcher_flavour(const std::string& launcher) {
  std::string said;
  const auto collect = [&said](std::string_view line) { said.append(line).append("\n"); };
  ChildProcess child({launcher, "--version"});
  child.read_all(10, collect, collect);
  child.wait();
  if (said.find("Open MPI") != std::string::npos || said.find("OpenRTE") != std::string::npos)
    return "openmpi";
  if (said.find("HYDRA") != std::string::npos || said.find("mpich") != std::string::npos)
    return "mpich";
  return "";
}

std::vector<std::string> built_flavours() {
  std::vector<std::string> built;
  for (const char* flavour : {"openmpi", "mpich", "mpi"}) {
    if (try_program(fmt::format("colltree-measure-{}", flavour))) built.emplace_back(flavour);
  }
  return built;
}

JobStarter::JobStarter(const std::string& launcher, const std::string& flavour)
    : words_(split_command(launcher)),
      flavour_(flavour.empty() ? choose_flavour(words_.front()) : flavour),
      program_(find_program(fmt::format("colltree-measure-{}", flavour_))),
      mpi_(short_library_name(library_version(program_))) {}

void JobStarter::require(Library library) const {
  if (!mpi_.starts_with(name(library)))
    throw UsageError(fmt::format("the launcher's library is {}, not {}", mpi_, name(library)));
}

std::vector<std::string> JobStarter::command(const Plan& plan, const std::string& plan_file,
                                             const std::vector<std::string>& settings) const {
  std::vector<std::string> command = with_ranks(words_, plan.ranks());
  command.push_back(program_.string());
  command.push_back(plan_file);
  command.insert(command.end(), settings.begin(), settings.end());
  return command;
}

std::map<std::string, int> JobStarter::settings() const {
  std::vector<std::string> command = with_ranks(words_, 1);
  command.push_back(program_.string());
  return library_settings(std::move(command));
}

JobLayout JobStarter::layout(std::uint64_t ranks) const {
  std::vector<std::string> command = with_ranks(words_, ranks);
  command.push_back(program_.string());
  return job_layout(std::move(command));
}

std::string JobStarter::run(
    const Plan& plan, const std::string& beside, const std::vector<std::string>& settings,
    const std::function<ChildProcess::LineKind(std::string_view)>& on_line) const {
  const TransientFile plan_file(fmt::format("{}.plan-{}", beside, ::getpid()), write_plan(plan));
  const InterruptGuard guard;
  std::string first_error;
  ChildProcess child(command(plan, plan_file.name(), settings));
  const auto end =
      child.read(kSilence, interrupted, on_line, [&first_error](std::string_view line) {
        if (first_error.empty() && line.find_first_not_of(" -") != std::string_view::npos)
          first_error = line;
      });
  const std::string trouble = child.wait();
  if (end == ChildProcess::Outcome::kInterrupted) throw Error("interrupted");
  if (end == ChildProcess::Outcome::kSilent)
    return fmt::format("nothing reported for {:.0f} s", kSilence);
  return trouble.empty() || first_error.empty() ? trouble
                                                : fmt::format("{}: {}", trouble, first_error);
}

}  // namespace colltree
