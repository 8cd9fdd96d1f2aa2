// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "coll/library_methods.h"
#include "measure/driver.h"
#include "measure/library_survey.h"
#include "measure/library_version.h"
#include "measure/worker.h"

namespace colltree {

namespace {

constexpr std::string_view kRanks = "{ranks}";

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return std::string(std::string_view(name).substr(0, std::string_view(name).find('.')));
}

// What the launcher says of itself: "mpirun (Open MPI) 4.1.4", "HYDRA build details:
// Version: 4.0.2".
std::string launcher_flavour(const std::string& launcher) {
  std::string said;
  const auto collect = [&said](std::string_view line) { said.append(line).append("\n"); };
  Worker worker({launcher, "--version"});
  worker.read(
      10, [] { return false; }, collect, collect);
  worker.wait();
  if (said.find("Open MPI") != std::string::npos || said.find("OpenRTE") != std::string::npos)
    return "openmpi";
  if (said.find("HYDRA") != std::string::npos || said.find("mpich") != std::string::npos)
    return "mpich";
  return "";
}

std::vector<std::string> built_flavours() {
  std::vector<std::string> built;
  for (const char* flavour : {"openmpi", "mpich", "mpi"}) {
    try {
      find_program(fmt::format("colltree-measure-{}", flavour));
      built.emplace_back(flavour);
    } catch (const Error&) {  // not built: not a candidate
    }
  }
  return built;
}

std::string choose_flavour(const std::string& launcher) {
  const std::vector<std::string> built = built_flavours();
  if (built.empty())
    throw Error(
        "no measuring program was built: install an MPI library with its compiler wrapper "
        "and build again");
  if (built.size() == 1) return built.front();
  const std::string found = launcher_flavour(launcher);
  if (std::ranges::find(built, found) != built.end()) return found;
  throw UsageError(fmt::format("cannot tell which MPI library '{}' starts; say --mpi {}", launcher,
                               fmt::join(built, " or --mpi ")));
}

std::vector<std::string> with_ranks(const std::vector<std::string>& words, std::uint64_t ranks) {
  std::vector<std::string> command;
  for (std::string word : words) {
    for (std::size_t at; (at = word.find(kRanks)) != std::string::npos;) {
      word.replace(at, kRanks.size(), fmt::to_string(ranks));
    }
    command.push_back(std::move(word));
  }
  return command;
}

class LauncherDriver : public Driver {
 public:
  LauncherDriver(const std::string& launcher, const std::string& flavour,
                 std::optional<Library> library)
      : words_(split_command(launcher)),
        flavour_(flavour.empty() ? choose_flavour(words_.front()) : flavour),
        program_(find_program(fmt::format("colltree-measure-{}", flavour_))),
        version_(library_version(program_)),
        library_(library) {
    if (!library_) return;
    const std::string mpi = short_library_name(version_);
    if (!mpi.starts_with(name(*library_)))
      throw UsageError(
          fmt::format("--source {}: the launcher's library is {}", name(*library_), mpi));
    survey_ = survey_library(program_);
    for (const std::string& line : table_differences(*library_, survey_))
      fmt::print(stderr, "{}: {}\n", mpi, line);
  }

  SystemInfo system() const override {
    const std::string mpi = short_library_name(version_);
    return {fmt::format("{}-{}{}", host_name(), flavour_, library_ ? "-own" : ""),
            kProvenanceMeasured, mpi, "", ""};
  }

  std::string options(const StopRule& stop) const override {
    nlohmann::json options{{"driver", "launcher"},
                           {"min_samples", stop.min_samples},
                           {"max_samples", stop.max_samples},
                           {"max_half_width", stop.max_half_width},
                           {"confidence", stop.confidence},
                           {"cell_budget_s", stop.cell_budget_s},
                           {"warm_up", stop.warm_up},
                           {"launcher", fmt::format("{}", fmt::join(words_, " "))}};
    if (stop.max_foreign_load > 0) options["max_foreign_load"] = stop.max_foreign_load;
    if (library_) options["source"] = name(*library_);
    return options.dump();
  }

  std::vector<std::string> command(const Plan& plan, const std::string& plan_file) const override {
    std::uint64_t ranks = 0;
    for (const PlanCell& cell : plan.cells) ranks = std::max(ranks, cell.communicator_size);
    std::vector<std::string> command = with_ranks(words_, ranks);
    command.push_back(program_.string());
    command.push_back(plan_file);
    // Open MPI lets algorithms be chosen only when it is started so.
    if (library_ == Library::kOpenmpi)
      command.emplace_back("OMPI_MCA_coll_tuned_use_dynamic_rules=1");
    return command;
  }

  bool has(const PlanCell& cell) const override {
    if (!library_ || !survey_.contains(cell.collective)) return true;
    const LibraryAlgorithm* algorithm =
        find_algorithm(*library_, cell.collective, cell.method.algorithm);
    return algorithm == nullptr || survey_.at(cell.collective).contains(algorithm->id);
  }

  // Small communicators first: something useful is there soon.
  void arrange(std::vector<PlanCell>& cells) const override {
    std::ranges::stable_sort(cells, {}, &PlanCell::communicator_size);
  }

  StopRule job_stop_rule(const StopRule& stop) const override { return stop; }

  std::vector<double> samples(const PlanCell&, std::vector<double> reported_us,
                              const StopRule&) const override {
    return reported_us;
  }

  bool retries() const override { return true; }
  std::string default_name() const override {
    return short_library_name(version_) + "'s own choice";
  }

 private:
  std::vector<std::string> words_;
  std::string flavour_;
  std::filesystem::path program_;
  std::string version_;
  std::optional<Library> library_;
  LibrarySurvey survey_;
};

}  // namespace

JobStarter::JobStarter(const std::string& launcher, const std::string& flavour, Library library)
    : words_(split_command(launcher)) {
  const std::filesystem::path program = find_program(fmt::format(
      "colltree-measure-{}", flavour.empty() ? choose_flavour(words_.front()) : flavour));
  program_ = program.string();
  mpi_ = short_library_name(library_version(program));
  if (!mpi_.starts_with(name(library)))
    throw UsageError(fmt::format("the launcher's library is {}, not {}", mpi_, name(library)));
}

std::vector<std::string> JobStarter::command(std::uint64_t ranks, const std::string& plan_file,
                                             const std::vector<std::string>& settings) const {
  std::vector<std::string> command = with_ranks(words_, ranks);
  command.push_back(program_);
  command.push_back(plan_file);
  command.insert(command.end(), settings.begin(), settings.end());
  return command;
}

std::vector<std::string> split_command(const std::string& text) {
  std::vector<std::string> words;
  bool open = false;  // inside a word
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && (c == ' ' || c == '\t')) {
      open = false;
      continue;
    }
    if (!std::exchange(open, true)) words.emplace_back();
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      words.back() += text[++i];
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) throw UsageError(fmt::format("--launcher: the quote {} is not closed", quote));
  if (words.empty())
    throw UsageError("--launcher: is empty; write for example 'mpirun -np {ranks}'");
  return words;
}

std::unique_ptr<Driver> make_launcher_driver(const std::string& launcher,
                                             const std::string& flavour,
                                             std::optional<Library> library) {
  return std::make_unique<LauncherDriver>(launcher, flavour, library);
}

}  // namespace colltree
