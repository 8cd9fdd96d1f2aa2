// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <filesystem>
#include <new>

#include "base/error.h"
#include "base/options.h"
#include "base/streams.h"
#include "base/text.h"

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

// Shortens a message, which may quote a text as long as a command line.
std::string line_of(const std::string& message) {
  constexpr std::size_t kEnd = 1000;
  const std::string line = printable(message);
  if (line.size() <= 4 * kEnd) return line;
  return fmt::format("{} ... ({} bytes) ... {}", printable(line.substr(0, kEnd)), line.size(),
                     printable(line.substr(line.size() - kEnd)));
}

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

}  // namespace

int run_program(CommandLine& line, int argc, const char* const* argv) {
  try {
    with_output([&] { line.run(argc, argv); });
    return 0;
  } catch (const UsageError& error) {
    say(fmt::format("{}: {}\nTry '{} --help'.\n", line.name(), line_of(error.what()),
                    line.called()));
    return kWrongUsage;
  } catch (const Unfinished& unfinished) {
    say(fmt::format("{}: {}\n", line.name(), line_of(unfinished.what())));
    return kUnfinishedCode;
  } catch (const std::exception& error) {
    say(fmt::format("{}: {}\n", line.name(), line_of(explain_failure(error, line.called()))));
    return kFailed;
  }
}

}  // namespace colltree
