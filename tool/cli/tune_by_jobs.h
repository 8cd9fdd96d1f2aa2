// SPDX-License-Identifier: BSD-3-Clause
// `colltree tune --batch ...`: the same tune, inside the jobs of a batch system. On a login node
// the command submits jobs, each of which waits for the one before, and prints how far the
// campaign is; in a job,
// which the script marks by an environment variable, it measures.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/options.h"
#include "cli/measure_options.h"
#include "measure/allocation.h"

namespace colltree::cli {

struct BatchOptions {
  std::string system;  // the file of a template, or "slurm" with options of sbatch; "": none
  std::optional<double> spread_h;

  void declare(CLI::App& app);
  bool asked() const { return !system.empty(); }
  // The options of sbatch, where the system is Slurm.
  std::optional<std::string> slurm() const;
  // The ranks and nodes that the options of sbatch ask for, if they say.
  std::optional<measure::Allocation> allocation() const;
};

struct TuneByJobs {
  const BatchOptions& batch;
  const MeasureOptions& measure;
  std::vector<std::string> words;  // of the command line, behind `colltree`
  std::filesystem::path folder;    // of the tuning
  std::size_t sessions = 1;        // of the verification; 0: it is left out
};

// Submits the jobs that are not submitted yet, and prints where the campaign stands. Throws
// UsageError and Error.
void tune_by_jobs(const TuneByJobs& tune);

// Writes the script, and prints what the jobs will cost and how they would be submitted.
void plan_jobs(const TuneByJobs& tune);

bool runs_in_job();  // by the environment

// The part of a job: continues the campaign by `work` unless it is finished. Before, `options` gets
// the rest of a budget of time and the job's way to start ranks.
void tune_in_job(const TuneByJobs& tune, MeasureOptions& options,
                 const std::function<void()>& work);

}  // namespace colltree::cli
