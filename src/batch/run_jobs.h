// SPDX-License-Identifier: BSD-3-Clause
// A command over as many jobs as it takes: submits one, watches it, and submits the next, which
// continues, until the command has come to its end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "batch/batch_system.h"
#include "batch/job_log.h"

namespace colltree {

struct BatchRun {
  std::filesystem::path folder;  // for scripts, outputs and the log; made when it is not there
  std::string script;            // with {command}
  // The command line for the shell, given how many seconds earlier jobs have run.
  std::function<std::string(double used_s)> command;
  std::function<std::uint64_t()> stored_cells;  // of the profile, when no job runs
  std::function<void(double seconds)> wait;     // between two looks
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

}  // namespace colltree
