// SPDX-License-Identifier: BSD-3-Clause
// --held-out, --folds and --seed, as `evaluate` and `compare` have them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "evaluate/contest.h"

namespace colltree {

struct HeldOutOptions {
  std::string held_out;  // comma list; "" or "none": no points are left out
  std::size_t folds = 5;
  std::uint64_t seed = 1;

  // Throws UsageError.
  ContestOptions parsed() const;
};

void add_held_out_options(CLI::App& app, HeldOutOptions& options);

}  // namespace colltree
