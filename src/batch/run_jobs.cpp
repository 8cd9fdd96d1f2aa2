// SPDX-License-Identifier: BSD-3-Clause
#include "batch/run_jobs.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "base/streams.h"
#include "base/text.h"
#include "batch/batch_template.h"
#include "measure/installed_library.h"

namespace colltree::batch {

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
  std::vector<std::string> words = measure::split_command(text);
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
                                       const std::filesystem::path& output,
                                       std::uint64_t begin_in_s) {
  std::vector<std::string> command =
      command_of(submit_text(words_, begin_in_s), "script", script.string());
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

namespace fs = std::filesystem;

namespace {

// Looks become rarer: a controller serves many.
constexpr double kFirstPause_s = 0.25;
constexpr double kLongestPause_s = 20;
constexpr double kGrowth = 1.3;
// After this many looks without an answer, over five minutes, the job counts as gone: a controller
// may restart in the meantime.
constexpr int kMostUnknown = 30;

std::optional<int> read_code(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  return std::getline(in, line) ? parse_number<int>(line) : std::nullopt;
}

std::string last_line(const fs::path& file) {
  std::ifstream in(file);
  std::string last;
  for (std::string line; std::getline(in, line);) {
    if (!trim(line).empty()) last = line;
  }
  return last;
}

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// One job, until it has ended.
class Watch {
 public:
  Watch(const BatchRun& run, BatchSystem& system, JobRecord job)
      : run_(run), system_(system), job_(std::move(job)), files_(run.folder, job_.number) {}

  JobEnd until_end() {
    double pause_s = kFirstPause_s;
    for (int unknown = 0;;) {
      if (interrupted())
        throw Error(
            fmt::format("interrupted; job {} continues: rerun the same command to watch it again, "
                        "or end it with '{}'",
                        job_.id, system_.cancel_text(job_.id)));
      const auto seen = system_.look(job_.id);
      if (seen) note(*seen);
      unknown = seen ? 0 : unknown + 1;
      const auto code = read_code(files_.code);
      if (seen && has_ended(seen->state)) return end(seen->state, code);
      if (unknown >= kMostUnknown || (unknown > 1 && code)) return end(JobState::kGone, code);
      run_.wait(pause_s);
      pause_s = std::min(pause_s * kGrowth, kLongestPause_s);
    }
  }

  const JobRecord& job() const { return job_; }

 private:
  JobEnd end(JobState state, std::optional<int> code) {
    if (code == 0 || code == kUnfinishedCode) state = JobState::kDone;
    job_.end = state;
    job_.seconds = before_s_ + now_s_;
    return {state, code, 0};
  }

  void note(const JobLook& look) {
    if (look.nodes) job_.nodes = *look.nodes;
    // A job that was started again counts from 0 again.
    if (look.seconds && *look.seconds < now_s_) before_s_ += now_s_;
    if (look.seconds) now_s_ = *look.seconds;
    if (look.state == last_) return;
    const bool again = last_ == JobState::kRunning && look.state == JobState::kPending;
    say("job {}: {}\n", job_.id, again ? "requeued" : name(look.state));
    last_ = look.state;
  }

  const BatchRun& run_;
  BatchSystem& system_;
  JobRecord job_;
  JobFiles files_;
  std::optional<JobState> last_;
  double before_s_ = 0;
  double now_s_ = 0;
};

// How long the next job must not start yet: the file with the last one's exit code says when its
// command ended.
double until_next_s(const BatchRun& run, std::size_t last_job) {
  const fs::path code = JobFiles(run.folder, last_job).code;
  if (read_code(code) != kUnfinishedCode) return 0;
  const std::chrono::duration<double> since =
      fs::file_time_type::clock::now() - fs::last_write_time(code);
  return std::max(0.0, run.apart_s - since.count());
}

void wait_for_next(const BatchRun& run, double left_s) {
  for (; left_s > 0; left_s -= kLongestPause_s) {
    if (interrupted())
      throw Error("interrupted between two jobs; rerun the same command to submit the next one");
    run.wait(std::min(left_s, kLongestPause_s));
  }
}

JobRecord submit_next(const BatchRun& run, BatchSystem& system, JobLog& log) {
  const double until_s = until_next_s(run, log.jobs().size());
  if (until_s > 0) say("the next job starts in {:.1f} h, in another session\n", until_s / 3600);
  if (!system.delays_jobs()) wait_for_next(run, until_s);
  const std::uint64_t begin_in_s =
      system.delays_jobs() ? static_cast<std::uint64_t>(std::ceil(until_s)) : 0;
  const JobFiles files = write_job(run, log.jobs().size() + 1, log.used_s());
  const JobRecord& job = log.submitted(system.submit(files.script, files.output, begin_in_s));
  say("job {}: submitted, {}\n", job.id, files.script.string());
  return job;
}

}  // namespace

JobFiles::JobFiles(const fs::path& folder, std::size_t number) {
  const std::string stem = fmt::format("job-{}", number);
  script = folder / (stem + ".sh");
  output = folder / (stem + ".out");
  result = folder / (stem + ".result");
  code = folder / (stem + ".code");
}

JobFiles write_job(const BatchRun& run, std::size_t number, double used_s) {
  make_folder(run.folder);
  const JobFiles files(run.folder, number);
  // A job that is requeued runs the script once more.
  const std::string command = fmt::format(
      "cd {} || exit 1\nrm -f {}\n{} > {}\ncode=$?\necho $code > {}\n"
      "[ $code -ne {} ] || exit 0\nexit $code",
      quoted(fs::current_path().string()), quoted(files.code.string()), run.command(used_s),
      quoted(files.result.string()), quoted(files.code.string()), kUnfinishedCode);
  write_file(files.script, with_value(run.script, "command", command));
  return files;
}

JobFiles run_jobs(const BatchRun& run, BatchSystem& system, JobLog& log) {
  const InterruptGuard guard;
  JobSequence sequence;
  std::uint64_t cells = run.stored_cells();
  for (;;) {
    const JobRecord* left = log.unfinished();
    Watch watch(run, system, left != nullptr ? *left : submit_next(run, system, log));
    JobEnd end = watch.until_end();
    const std::uint64_t now = run.stored_cells();
    JobRecord job = watch.job();
    job.cells = end.cells = now - std::min(now, cells);
    cells = now;
    log.ended(job);
    const JobFiles files(run.folder, job.number);
    const JobSequence::Next next = sequence.after(end);
    if (next.step == JobSequence::Step::kFinished) return files;
    if (next.step == JobSequence::Step::kSubmit) continue;
    const std::string said = last_line(files.output);
    throw Error(fmt::format("job {}: {}{}{}; {}; {} cells are stored", job.id, name(*job.end),
                            said.empty() ? "" : ": ", said, next.why, cells));
  }
}

}  // namespace colltree::batch
