// SPDX-License-Identifier: BSD-3-Clause
// --held-out, --folds and --seed, as `evaluate` and `compare` have them.
#pragma once

#include <string>

#include "base/options.h"
#include "evaluate/contest.h"

namespace colltree {

struct HeldOutOptions {
  std::string held_out;  // comma list; "" or "none": no points are left out
  std::size_t folds = 5;
  std::uint64_t seed = 1;

  // Throws UsageError.
  ContestOptions parsed() const;
};

// Returns --held-out.
Option& add_held_out_options(CommandLine& line, HeldOutOptions& options);

}  // namespace colltree
