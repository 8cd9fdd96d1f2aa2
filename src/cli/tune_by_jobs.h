// SPDX-License-Identifier: BSD-3-Clause
// `colltree tune --slurm ...`: the same tune, inside the jobs of a batch system.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/options.h"
#include "cli/measure_options.h"
#include "measure/allocation.h"

namespace colltree::cli {

struct BatchOptions {
  std::string slurm;  // options of sbatch
  std::string batch;  // file of a template
  std::optional<double> spread_h;

  void declare(CommandLine& line);
  bool asked() const { return !slurm.empty() || !batch.empty(); }
  // What the options of sbatch ask for; none: they do not say.
  std::optional<measure::Allocation> allocation() const;
};

struct TuneByJobs {
  const BatchOptions& batch;
  const MeasureOptions& measure;
  std::vector<std::string> words;  // of the command line, behind `colltree`
  std::filesystem::path folder;    // of the tuning
  std::size_t sessions = 1;        // of the verification; 0: it is left out
};

// Submits, watches and continues; prints what the last job printed. Throws UsageError and Error.
void tune_by_jobs(const TuneByJobs& tune);

// Writes the first job's script and says what the jobs will cost.
void plan_jobs(const TuneByJobs& tune);

}  // namespace colltree::cli
