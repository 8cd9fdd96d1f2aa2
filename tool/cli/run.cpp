// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/options.h"
#include "base/text.h"
#include "cli/command.h"
#include "decision/cdt_format.h"
#include "measure/job.h"
#include "measure/platform.h"
#include "model/model.h"
#include "profile/schema.h"

namespace colltree::cli {

namespace {

// A report of a fault has to name the version, the commit, the formats that are written and the MPI
// libraries that are measured. Looks for the measuring programs beside this one.
std::string program_version_text() {
  const std::vector<std::string> flavours = measure::built_flavours();
  return fmt::format(
      "{}\ncommit {}\nwrites profile {}, model {}, compact decision file {}\nmeasures under {}; {}",
      COLLTREE_VERSION, COLLTREE_COMMIT, profile::kSchemaVersion, model::kModelFormat,
      cdt::kVersion, flavours.empty() ? "no MPI library" : join(flavours, ", "),
      measure::try_program("colltree-simulate") ? "simulates" : "does not simulate");
}

const std::string kSummary =
    "colltree measures MPI collectives, fits a small decision function to the times, and deploys "
    "it";

// `is_called`: the command gets its options. Declaring them all takes longer than many a command
// works.
template <typename IsCalled>
std::unique_ptr<CLI::App> program_with(const IsCalled& is_called) {
  std::unique_ptr<CLI::App> program = make_program("colltree", kSummary, program_version_text);
  program->require_subcommand(1);
  for (const Command& command : commands()) {
    CLI::App* above =
        command.above == nullptr ? program.get() : program->get_subcommand(command.above);
    CLI::App& app = *above->add_subcommand(command.name, command.summary);
    app.group(command.group)->footer(fmt::format("Example:\n  {}", command.example));
    if (is_called(command)) {
      command.declare(app);
    } else if (command.above != nullptr) {
      app.callback([&app] {
        throw UsageError(fmt::format("'{}' stands behind an option; give it before all options",
                                     app.get_name()));
      });
    }
  }
  program->footer(
      "Example:\n  colltree tune --platform grig -o grig-tuned\nEach command's --help shows one.");
  return program;
}

std::vector<std::string> words_now;

}  // namespace

const std::vector<std::string>& words_of_run() { return words_now; }

std::unique_ptr<CLI::App> whole_program() {
  return program_with([](const Command&) { return true; });
}

namespace {

// The first commands to type; --help lists the rest.
constexpr const char* kFirstSteps =
    R"(colltree measures MPI collectives, fits a small decision function to the times, and deploys it

  colltree tune --platform grig --grid tiny -o tried    try it on a simulated cluster
  colltree tune --source openmpi --launcher 'mpirun -np {ranks}' \
    --communicator-sizes auto --message-sizes auto --dry-run -o tuned    what tuning this one takes
  colltree run --record calls.csv -- mpirun ./program   which collectives a program calls
  colltree show FILE                                    what a profile, model or rules file holds
  colltree help COMMAND                                 the options of a command
  colltree --help                                       all commands
)";

// "colltree help tune" is "colltree tune --help"; what is no command is refused as one.
void put_help_behind(std::vector<std::string>& words) {
  words.erase(words.begin());
  const bool are_commands = std::ranges::all_of(words, [](const std::string& word) {
    return std::ranges::count(commands(), word, &Command::name) > 0;
  });
  if (are_commands) words.emplace_back("--help");
}

// "measure kit" calls kit, and measure only holds it.
bool is_called(const Command& command, const std::vector<std::string>& words) {
  const auto word = [&](std::size_t i) { return i < words.size() ? words[i] : std::string(); };
  if (command.above != nullptr) return word(0) == command.above && word(1) == command.name;
  const bool calls_below = std::ranges::any_of(commands(), [&](const Command& below) {
    return below.above != nullptr && below.above == std::string_view(command.name) &&
           word(1) == below.name;
  });
  return word(0) == command.name && !calls_below;
}

}  // namespace

int run(int argc, char** argv) {
  words_now.assign(argv + std::min(argc, 1), argv + argc);
  if (words_now.empty()) {
    CLI::App first_steps("", "colltree");
    first_steps.callback([] { fmt::print("{}", kFirstSteps); });
    return run_program(first_steps, {});
  }
  if (words_now.front() == "help") put_help_behind(words_now);
  const std::unique_ptr<CLI::App> program =
      program_with([](const Command& command) { return is_called(command, words_now); });
  return run_program(*program, words_now);
}

}  // namespace colltree::cli
