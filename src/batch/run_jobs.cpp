// SPDX-License-Identifier: BSD-3-Clause
#include "batch/run_jobs.h"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "base/streams.h"
#include "base/text.h"

namespace colltree {

namespace fs = std::filesystem;

namespace {

// Looks become rarer: a controller serves many.
constexpr double kFirstPause_s = 0.25;
constexpr double kLongestPause_s = 20;
constexpr double kGrowth = 1.3;
// So many looks that say nothing, over five minutes, and the job is gone: a controller may start
// anew meanwhile.
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
            fmt::format("interrupted; job {} goes on: the same command watches it again, "
                        "{} ends it",
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
    if (code == 0) state = JobState::kDone;
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

JobRecord submit_next(const BatchRun& run, BatchSystem& system, JobLog& log) {
  const JobFiles files = write_job(run, log.jobs().size() + 1, log.used_s());
  const JobRecord& job = log.submitted(system.submit(files.script, files.output));
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
  const std::string command =
      fmt::format("cd {} || exit 1\nrm -f {}\n{} > {}\ncode=$?\necho $code > {}\nexit $code",
                  quoted(fs::current_path().string()), quoted(files.code.string()),
                  run.command(used_s), quoted(files.result.string()), quoted(files.code.string()));
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

}  // namespace colltree
