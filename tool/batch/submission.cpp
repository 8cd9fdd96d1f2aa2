// SPDX-License-Identifier: BSD-3-Clause
#include "batch/submission.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <sstream>

#include "base/error.h"
#include "base/input.h"
#include "base/process.h"
#include "base/text.h"
#include "measure/installed_library.h"

namespace colltree::batch {

namespace {

constexpr double kAnswer_s = 60;  // a controller that starts anew takes its time

// The words for a later start: in seconds, or as a time on this machine's clock, which its batch
// system is assumed to share.
std::string begin_text(const BatchTemplate& system, std::uint64_t in_s) {
  if (in_s == 0) return "";
  const std::string begin = with_value(system.begin, "seconds", std::to_string(in_s));
  if (begin.find('%') == std::string::npos) return begin;
  const std::time_t time = std::time(nullptr) + static_cast<std::time_t>(in_s);
  std::tm parts{};
  localtime_r(&time, &parts);
  std::array<char, 256> text{};
  return {text.data(), std::strftime(text.data(), text.size(), begin.c_str(), &parts)};
}

// std::regex calls itself for every byte that it matches: 40 kB are more than the stack. So a long
// text is looked at line by line, and a line as far as this.
constexpr std::size_t kMostSearchedBytes = 4096;

}  // namespace

std::vector<std::string> submit_command(const BatchTemplate& system, const Submission& job) {
  const std::string dependency =
      job.after.empty() ? "" : with_value(system.dependency, "job", job.after);
  const std::string begin = begin_text(system, job.begin_in_s);
  const std::string text =
      with_value(with_value(system.submit, "dependency", dependency), "begin", begin);
  std::vector<std::string> command = measure::split_command(text, system.name);
  // Behind the split, so that blanks in a path do no harm.
  for (std::string& word : command)
    word =
        with_value(with_value(word, "script", job.script.string()), "output", job.output.string());
  return command;
}

std::string job_name(const BatchTemplate& system, const std::string& printed) {
  const auto parts = printed.size() <= kMostSearchedBytes ? std::vector<std::string_view>{printed}
                                                          : split(printed, '\n');
  for (const std::string_view part : parts) {
    std::cmatch found;
    const char* const end = part.data() + std::min(part.size(), kMostSearchedBytes);
    if (std::regex_search(part.data(), end, found, system.job))
      return std::string(trim(found[found.size() > 1 ? 1 : 0].str()));
  }
  return "";
}

std::string submit(const BatchTemplate& system, const Submission& job) {
  const std::vector<std::string> command = submit_command(system, job);
  CommandResult result = run_command(command, kAnswer_s);
  if (result.timed_out) result.failure = fmt::format("no answer for {} s", kAnswer_s);
  if (result.failure.empty()) {
    if (std::string name = job_name(system, result.output); !name.empty()) return name;
    result.failure = "no name of a job";
  }
  throw Error(fmt::format("{} took no job ({}): {}", command.front(), result.failure,
                          result.first_error.empty() ? trim(result.output) : result.first_error));
}

std::string cancel_command(const BatchTemplate& system, const std::vector<std::string>& jobs) {
  return with_value(system.cancel, "job", join(jobs, " "));
}

std::vector<std::string> submitted_jobs(const std::filesystem::path& file) {
  std::istringstream in(std::filesystem::exists(file) ? read_text(file, kMostModelBytes) : "");
  std::vector<std::string> jobs;
  for (std::string line; std::getline(in, line);) {
    if (!trim(line).empty()) jobs.emplace_back(trim(line));
  }
  return jobs;
}

}  // namespace colltree::batch
