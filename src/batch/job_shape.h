// SPDX-License-Identifier: BSD-3-Clause
// How large and how long the jobs are that somebody asks for, as far as the options say it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace colltree {

struct JobShape {
  std::optional<std::uint64_t> nodes;
  std::optional<double> limit_s;  // time limit of a job
};

// Of options of sbatch: -N, --nodes, -t, --time. Throws UsageError for those that colltree says
// itself (--output, --array, --wrap, ...), and for heterogeneous jobs.
JobShape slurm_shape(const std::string& options);

// "90", "01:30", "1:00:00", "2-00:00:00" -> seconds.
std::optional<double> parse_duration_s(std::string_view text);
// The same as sbatch has it: a plain number is minutes, "2-12" days and hours.
std::optional<double> parse_slurm_limit_s(std::string_view text);

}  // namespace colltree
