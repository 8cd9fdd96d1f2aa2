// SPDX-License-Identifier: BSD-3-Clause
// Cells measured one after the other, in stretches that are long enough for a load guard to judge:
// a stretch that others disturbed is measured again. Speaks no MPI; measure_rank fills in the
// steps.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "measure/report_line.h"

namespace colltree {

struct StretchSteps {
  std::function<Report(std::size_t cell)> measure;
  std::function<void(const Report&)> report;
  // Others' share of all cores since the last answer; none: the stretch is too short to tell.
  // Empty: nobody looks.
  std::function<std::optional<double>()> look;
  std::function<void()> wait;  // until look() can tell
};

// Reports each of the cells 0 .. cells-1 once, in order, when its stretch is judged.
void measure_in_stretches(std::size_t cells, double most_foreign_load, const StretchSteps& steps);

}  // namespace colltree
