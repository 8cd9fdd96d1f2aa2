// SPDX-License-Identifier: BSD-3-Clause
// The commands that a page shows: how its timings came about, and how to fit what it shows.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "report/report.h"

namespace colltree::report {

// A word for a POSIX shell, quoted only where it must be; with $'' where no
// line can hold its bytes.
std::string shell_word(const std::string& word);

// "2..28", "1,2,4,8", "1K,2K": what parse_size_list reads back.
std::string size_list(const std::set<std::uint64_t>& sizes, bool bytes);

// One for each campaign: `colltree measure ...` or `colltree import ...`.
std::vector<std::string> origin_commands(const ReportInput& input);

// The command that fits an optimal tree; `leaves`: their number, or "auto" for the tree that `tune`
// deploys.
std::string fit_command(const Timings& timings, const ReportInput& input, std::string_view leaves,
                        const std::string& model_file);

}  // namespace colltree::report
