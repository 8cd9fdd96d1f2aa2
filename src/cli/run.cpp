// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "base/options.h"
#include "base/text.h"
#include "cli/command.h"
#include "measure/job.h"
#include "measure/platform.h"
#include "model/model.h"
#include "profile/schema.h"
#include "runtime/cdt_format.h"

namespace colltree::cli {

namespace {

// What a report of a fault has to name: "1.0.0", then a line each: the commit, the formats that are
// written, the MPI libraries that are measured. Looks for the measuring programs beside this one.
std::string program_version_text() {
  const std::vector<std::string> flavours = measure::built_flavours();
  return fmt::format(
      "{}\ncommit {}\nwrites profile {}, model {}, compact decision file {}\nmeasures under {}; {}",
      COLLTREE_VERSION, COLLTREE_COMMIT, profile::kSchemaVersion, model::kModelFormat,
      cdt::kVersion, flavours.empty() ? "no MPI library" : join(flavours, ", "),
      measure::try_program("colltree-simulate") ? "simulates" : "does not simulate");
}

template <typename IsWanted>
std::unique_ptr<CommandLine> with_options_of(const IsWanted& is_wanted) {
  auto root = std::make_unique<CommandLine>("colltree",
                                            "colltree measures MPI collectives, fits a small "
                                            "decision function to the times, and deploys it",
                                            program_version_text);
  std::map<std::string_view, CommandLine*> lines;
  for (const Command& command : commands()) {
    CommandLine& above = command.above == nullptr ? *root : *lines.at(command.above);
    above.begin_group(command.group);
    CommandLine& line = above.add_subcommand(command.name, command.summary);
    above.begin_group("");
    lines.emplace(command.name, &line);
    line.set_footer(fmt::format("Example:\n  {}", command.example));
    if (is_wanted(command)) command.declare(line);
  }
  root->set_footer(
      "Example:\n  colltree tune --platform grig -o grig-tuned\nEach command's --help shows one.");
  return root;
}

}  // namespace

std::unique_ptr<CommandLine> command_line() {
  return with_options_of([](const Command&) { return true; });
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

}  // namespace

int run(int argc, char** argv) {
  if (argc == 1) {
    CommandLine first("colltree", "", program_version_text);
    first.set_work([] { fmt::print("{}", kFirstSteps); });
    return run_program(first, argc, argv);
  }
  // "colltree help tune" is "colltree tune --help"; what is no command is refused as one.
  std::vector<const char*> words(argv, argv + argc);
  if (std::string_view(words[1]) == "help") {
    words.erase(words.begin() + 1);
    const bool are_commands = std::all_of(words.begin() + 1, words.end(), [](const char* word) {
      return std::ranges::count(commands(), std::string_view(word), &Command::name) > 0;
    });
    if (are_commands) words.push_back("--help");
  }
  // A command that no word names is not called: its options need not be declared, which takes
  // longer than many a command works.
  const std::unique_ptr<CommandLine> line = with_options_of([&](const Command& command) {
    return std::ranges::find(words, std::string_view(command.name)) != words.end();
  });
  return run_program(*line, static_cast<int>(words.size()), words.data());
}

}  // namespace colltree::cli
