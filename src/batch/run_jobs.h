// SPDX-License-Identifier: BSD-3-Clause
// A command over as many jobs as it takes: submits one, watches it, and submits the next, which
// continues, until the command has come to its end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "batch/batch_template.h"
#include "batch/job_sequence.h"

namespace colltree::batch {

// What it says of a job.
struct JobLook {
  JobState state = JobState::kGone;
  std::optional<double> seconds;  // that it has run, since it was last started
  std::optional<std::uint64_t> nodes;
};

// A batch system, as far as a campaign needs it.
class BatchSystem {
 public:
  virtual ~BatchSystem() = default;
  // Its name of the job. Throws Error when it takes none. `begin_in_s`: 0 where it delays no job.
  virtual std::string submit(const std::filesystem::path& script,
                             const std::filesystem::path& output, std::uint64_t begin_in_s) = 0;
  virtual bool delays_jobs() const = 0;  // whether it starts a job at a later time if asked to
  // Nothing: it says nothing of this job, now.
  virtual std::optional<JobLook> look(const std::string& job) = 0;
  virtual std::string cancel_text(const std::string& job) const = 0;  // what people type
};

class CommandBatchSystem : public BatchSystem {
 public:
  explicit CommandBatchSystem(BatchTemplate words) : words_(std::move(words)) {}
  std::string submit(const std::filesystem::path& script, const std::filesystem::path& output,
                     std::uint64_t begin_in_s) override;
  bool delays_jobs() const override { return !words_.begin.empty(); }
  std::optional<JobLook> look(const std::string& job) override;
  std::string cancel_text(const std::string& job) const override;

 private:
  BatchTemplate words_;
};

// What the template makes of what its system prints of a job.
std::optional<JobLook> recognise(const BatchTemplate& words, const std::string& text);

struct BatchRun {
  std::filesystem::path folder;  // for scripts, outputs and the log; made when it is not there
  std::string script;            // with {command}
  // The command line for the shell, given how many seconds earlier jobs have run.
  std::function<std::string(double used_s)> command;
  std::function<std::uint64_t()> stored_cells;  // of the profile, when no job runs
  std::function<void(double seconds)> wait;     // between two looks
  // From the end of a command that is unfinished (base/error.h) to the start of the next job.
  double apart_s = 0;
};

// The files of a job in the folder.
struct JobFiles {
  JobFiles(const std::filesystem::path& folder, std::size_t number);
  std::filesystem::path script, output, result, code;
};

// Writes the script of job `number`; when the command has ended, its exit code is in `code`, what
// it printed in `result`. Throws Error.
JobFiles write_job(const BatchRun& run, std::size_t number, double used_s);

// Says on standard error what becomes of the jobs. Returns the job in which the command ended.
// Throws Error where no further job would help, and when a signal arrives: the job goes on.
JobFiles run_jobs(const BatchRun& run, BatchSystem& system, JobLog& log);

}  // namespace colltree::batch
