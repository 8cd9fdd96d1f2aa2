// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/printable.h"
#include "base/streams.h"
#include "cli/command.h"
#include "cli/version_text.h"

namespace colltree {

std::string explain_failure(const std::exception& failure, const std::string& called) {
  if (dynamic_cast<const Error*>(&failure) != nullptr) return failure.what();
  if (dynamic_cast<const std::bad_alloc*>(&failure) != nullptr)
    return fmt::format("'{}' needs more memory than there is; ask for less at once", called);
  if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&failure))
    return fmt::format("{}: {}", file->path1().string(), file->code().message());
  return fmt::format(
      "'{}' met something that it was not written for; please report the whole command line "
      "with this: {}",
      called, failure.what());
}

namespace {

// What a message quotes of a command line may be as long as a command line.
std::string line_of(const std::string& message) {
  constexpr std::size_t kEnd = 1000;
  const std::string line = printable(message);
  if (line.size() <= 4 * kEnd) return line;
  return fmt::format("{} ... ({} bytes) ... {}", printable(line.substr(0, kEnd)), line.size(),
                     printable(line.substr(line.size() - kEnd)));
}

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

template <typename IsWanted>
std::unique_ptr<CommandLine> with_options_of(const IsWanted& is_wanted) {
  auto root = std::make_unique<CommandLine>(
      "colltree",
      "colltree: measure MPI collectives, fit a small decision function, see what it costs",
      version_text);
  root->require_subcommand();
  for (const Command& command : commands()) {
    CommandLine& sub = root->add_subcommand(command.name, command.summary);
    sub.set_footer(fmt::format("Example:\n  {}", command.example));
    if (is_wanted(command)) command.declare(sub);
  }
  root->set_footer(
      "Example:\n  colltree tune --platform grig -o grig-tuned\nEach command's --help shows one.");
  return root;
}

}  // namespace

std::unique_ptr<CommandLine> command_line() {
  return with_options_of([](const Command&) { return true; });
}

int run(int argc, char** argv) {
  // A command that no word names is not called: its options need not be declared, which takes
  // longer than many a command works.
  const std::unique_ptr<CommandLine> line = with_options_of([&](const Command& command) {
    return std::find(argv, argv + argc, std::string_view(command.name)) != argv + argc;
  });
  try {
    with_output([&] { line->run(argc, argv); });
    return 0;
  } catch (const UsageError& error) {
    say("colltree: {}\nTry '{} --help'.\n", line_of(error.what()), line->called());
    return kWrongUsage;
  } catch (const std::exception& error) {
    say("colltree: {}\n", line_of(explain_failure(error, line->called())));
    return kFailed;
  }
}

}  // namespace colltree
