// SPDX-License-Identifier: BSD-3-Clause
// How a batch system is spoken to: a file of lines "key value" (docs/tasks/batch.md). Slurm's is
// built in; those of others are written by who knows them.
#pragma once

#include <cstdint>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "batch/job_sequence.h"

namespace colltree::batch {

// How large and how long the jobs are that somebody asks for, as far as the options say it.
struct JobShape {
  std::optional<std::uint64_t> nodes;
  std::optional<double> limit_s;  // time limit of a job
  std::optional<std::uint64_t> ranks;
  std::optional<std::uint64_t> ranks_per_node;
};

// Reads the options of sbatch that set a job's shape: -N, --nodes, -n, --ntasks, --ntasks-per-node,
// -t, --time. Throws UsageError for those that colltree says itself (--output, --array, --wrap,
// ...), and for heterogeneous jobs.
JobShape slurm_shape(const std::string& options);

// "90", "01:30", "1:00:00", "2-00:00:00" -> seconds.
std::optional<double> parse_duration_s(std::string_view text);
// The same as sbatch has it: a plain number is minutes, "2-12" days and hours.
std::optional<double> parse_slurm_limit_s(std::string_view text);

struct BatchTemplate {
  std::string name;               // of the file, or "Slurm"
  std::string submit;             // a command with {script}, {output}, {options}, {begin}
  std::string begin;              // its words to start the job in {seconds}; "": it knows none
  std::regex job;                 // the part of the command's output that names the job
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

// The command that submits a job which starts now, or (`begin` must be known) in these seconds.
std::string submit_text(const BatchTemplate& words, std::uint64_t begin_in_s);

// `options`: further options for sbatch. Throws UsageError for options that colltree sets itself.
BatchTemplate slurm_template(const std::string& options);

}  // namespace colltree::batch
