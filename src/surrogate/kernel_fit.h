// SPDX-License-Identifier: BSD-3-Clause
// The parameters of the kernel that make the measured times likely (marginal likelihood; Rasmussen
// and Williams 5.4), those of all methods together.
#pragma once

#include <cstdint>
#include <vector>

#include "surrogate/grid_kernel.h"
#include "surrogate/grid_process.h"

namespace colltree {

// From `start` on, by a pattern search; deterministic for a seed, which picks the methods and the
// observations that are looked at where there are many. About 0.1 s.
KernelParameters fit_kernel(const PredictionGrid& grid, const std::vector<GridProcess>& methods,
                            const KernelParameters& start, std::uint64_t seed);

}  // namespace colltree
