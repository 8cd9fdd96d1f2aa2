// SPDX-License-Identifier: BSD-3-Clause
// How a batch system is spoken to: a file of lines "key value" (docs/batch.md). Slurm's is built
// in; those of others are written by who knows them.
#pragma once

#include <cstdint>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "batch/job_sequence.h"

namespace colltree {

struct BatchTemplate {
  std::string name;               // of the file, or "Slurm"
  std::string submit;             // a command with {script}, {output}, {options}
  std::regex job;                 // what of the command's output names the job
  std::vector<std::string> look;  // commands with {job}; the first that tells a state counts
  std::vector<std::pair<JobState, std::regex>> states;  // of their output; the first that is found
  std::vector<std::regex> seconds;  // the group is how long the job has run: S, M:S, H:M:S, D-H:M:S
  std::vector<std::regex> nodes;    // the group is how many it has
  std::string cancel;               // what people type to end it, with {job}
  std::optional<std::uint64_t> nodes_asked;
  std::optional<double> seconds_asked;  // time limit of a job
  std::string script;                   // with {command}
};

// Throws ParseError "FILE:LINE: expected X, got 'Y'".
BatchTemplate parse_batch_template(const std::string& text, const std::string& file);

// With what sbatch shall be told. Throws UsageError for options that are ours to say.
BatchTemplate slurm_template(const std::string& options);

}  // namespace colltree
