// SPDX-License-Identifier: BSD-3-Clause
// The template of a batch system, a file of lines "key value" (docs/tasks/batch.md), says how jobs
// are submitted. Slurm's is built in; the users of other batch systems write one.
#pragma once

#include <cstdint>
#include <optional>
#include <regex>
#include <string>
#include <string_view>

namespace colltree::batch {

// The size and time limit of the jobs that a user asks for, as far as the options say them.
struct JobShape {
  std::optional<std::uint64_t> nodes;
  std::optional<double> limit_s;  // time limit of a job
  std::optional<std::uint64_t> ranks;
  std::optional<std::uint64_t> ranks_per_node;
};

// Reads the options of sbatch that set a job's shape: -N, --nodes, -n, --ntasks, --ntasks-per-node,
// -t, --time. Throws UsageError for options that colltree sets itself (--output, --array, --wrap,
// ...), and for heterogeneous jobs.
JobShape slurm_shape(const std::string& options);

// "01:30", "1:00:00", "2-00:00:00", "2-12" (days and hours) -> seconds; a plain number is in
// `unit_s`: minutes for sbatch.
std::optional<double> parse_time_s(std::string_view text, double unit_s);

struct BatchTemplate {
  std::string name;        // of the file, or "Slurm"
  std::string submit;      // a command with {script}, {output}, {options}, {dependency}, {begin}
  std::string dependency;  // words of it that make a job wait until {job} has ended; "": none
  // Words of it that make a job start later: in {seconds}, or at a time as strftime writes it; "":
  // none.
  std::string begin;
  std::regex job;      // the part of the command's output that names the job
  std::string cancel;  // what people type to end jobs, with {job}
  std::optional<std::uint64_t> nodes_asked;
  std::optional<double> seconds_asked;  // time limit of a job
  std::string script;                   // with {command}
};

// Throws ParseError "FILE:LINE: expected X, got 'Y'".
BatchTemplate parse_batch_template(const std::string& text, const std::string& file);

// `options`: further options for sbatch. Throws UsageError for options that colltree sets itself.
BatchTemplate slurm_template(const std::string& options);

}  // namespace colltree::batch
