// SPDX-License-Identifier: BSD-3-Clause
#include "batch/batch_system.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/process.h"
#include "base/text.h"
#include "batch/job_shape.h"
#include "measure/launch.h"

namespace colltree {

namespace {

constexpr double kAnswer_s = 60;  // a controller that starts anew takes its time

CommandResult ask_batch_system(const std::vector<std::string>& command) {
  CommandResult result = run_command(command, kAnswer_s);
  if (result.timed_out) result.failure = fmt::format("no answer for {} s", kAnswer_s);
  return result;
}

// Split first, so that blanks in a path do no harm.
std::vector<std::string> command_of(const std::string& text, std::string_view name,
                                    const std::string& value) {
  std::vector<std::string> words = split_command(text);
  for (std::string& word : words) word = with_value(word, name, value);
  return words;
}

// std::regex calls itself for every byte that it matches: 40 kB are more than the stack. So a long
// text is looked at line by line, and a line as far as this.
constexpr std::size_t kMostSearchedBytes = 4096;

// The groups of what is found, the whole first; none: nothing is.
std::vector<std::string> find(const std::string& text, const std::regex& pattern) {
  const auto one =
      text.size() <= kMostSearchedBytes ? std::vector<std::string_view>{text} : split(text, '\n');
  for (const std::string_view part : one) {
    std::cmatch found;
    const char* const end = part.data() + std::min(part.size(), kMostSearchedBytes);
    if (std::regex_search(part.data(), end, found, pattern)) return {found.begin(), found.end()};
  }
  return {};
}

// The group of the first pattern that is found; "" = none.
std::string first_group(const std::vector<std::regex>& patterns, const std::string& text) {
  for (const std::regex& pattern : patterns) {
    if (const auto found = find(text, pattern); found.size() > 1) return found[1];
  }
  return "";
}

}  // namespace

std::optional<JobLook> recognise(const BatchTemplate& words, const std::string& text) {
  for (const auto& [state, pattern] : words.states) {
    if (find(text, pattern).empty()) continue;
    return JobLook{state, parse_duration_s(first_group(words.seconds, text)),
                   parse_number<std::uint64_t>(first_group(words.nodes, text))};
  }
  return std::nullopt;
}

std::string CommandBatchSystem::submit(const std::filesystem::path& script,
                                       const std::filesystem::path& output) {
  std::vector<std::string> command = command_of(words_.submit, "script", script.string());
  for (std::string& word : command) word = with_value(word, "output", output.string());
  const CommandResult result = ask_batch_system(command);
  const auto found =
      result.failure.empty() ? find(result.output, words_.job) : std::vector<std::string>();
  if (!found.empty()) return std::string(trim(found[found.size() > 1 ? 1 : 0]));
  const std::string said(result.first_error.empty() ? trim(result.output) : result.first_error);
  throw Error(fmt::format("{} took no job ({}): {}", command.front(),
                          result.failure.empty() ? "no name of a job" : result.failure, said));
}

std::optional<JobLook> CommandBatchSystem::look(const std::string& job) {
  for (const std::string& command : words_.look) {
    const CommandResult result = ask_batch_system(command_of(command, "job", job));
    if (auto seen = recognise(words_, result.output + result.first_error)) return seen;
  }
  return std::nullopt;
}

std::string CommandBatchSystem::cancel_text(const std::string& job) const {
  return with_value(words_.cancel, "job", job);
}

}  // namespace colltree
