// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <exception>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/command.h"

namespace colltree {

namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

// The innermost subcommand named on the command line.
const CLI::App& innermost(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? app : innermost(*chosen.front());
}

// "colltree fit quadtree": what to type before --help.
std::string command_path(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? "colltree" : command_path(*parent) + " " + app.get_name();
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& long_name : option->get_lnames()) names.push_back("--" + long_name);
  }
  return names;
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(sub->get_name());
  }
  return names;
}

// CLI11 says which words were left over; we say what was probably meant.
std::string explain_extras(const CLI::App& root) {
  const CLI::App& app = innermost(root);
  const std::vector<std::string> extras = root.remaining(true);
  const std::string word = extras.empty() ? "" : extras.front();
  if (word.starts_with("-")) {
    const std::string name = word.substr(0, word.find('='));
    return fmt::format("unknown option '{}'{}", name, did_you_mean(name, option_names(app)));
  }
  const std::vector<std::string> names = subcommand_names(app);
  if (!names.empty()) return fmt::format("unknown command '{}'{}", word, did_you_mean(word, names));
  return fmt::format("unexpected argument '{}'", word);
}

int wrong_usage(const CLI::App& root, const std::string& message) {
  fmt::print(stderr, "colltree: {}\nTry '{} --help'.\n", message, command_path(innermost(root)));
  return kWrongUsage;
}

int parse_and_run(CLI::App& root, int argc, char** argv) {
  try {
    root.parse(argc, argv);
    return 0;
  } catch (const CLI::CallForHelp& help) {
    return root.exit(help);
  } catch (const CLI::CallForVersion& version) {
    return root.exit(version);
  } catch (const CLI::ExtrasError&) {
    return wrong_usage(root, explain_extras(root));
  } catch (const CLI::ParseError& error) {
    const bool no_command = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr &&
                            innermost(root).get_require_subcommand_min() > 0 &&
                            !root.remaining(true).empty();
    return wrong_usage(root, no_command ? explain_extras(root) : error.what());
  } catch (const UsageError& error) {
    return wrong_usage(root, error.what());
  }
}

}  // namespace

int run(int argc, char** argv) {
  CLI::App root{
      "colltree: measure MPI collectives, fit a small decision function, see what it costs",
      "colltree"};
  root.set_version_flag("--version", std::string("colltree ") + kVersion);
  root.require_subcommand(1);
  root.failure_message(CLI::FailureMessage::help);
  for (const Command& command : commands()) {
    CLI::App* sub = root.add_subcommand(command.name, command.summary);
    sub->footer(fmt::format("Example:\n  {}", command.example));
    command.declare(*sub);
  }
  root.footer(
      "Example:\n  colltree tune --platform grig -o grig-tuned\nEach command's --help shows one.");
  try {
    return parse_and_run(root, argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "colltree: {}\n", error.what());
    return kFailed;
  }
}

}  // namespace colltree
