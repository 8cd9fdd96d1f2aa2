// SPDX-License-Identifier: BSD-3-Clause
// Whether cells that are measured on several communicators at once have the times that they have
// alone. Speaks no MPI; at_once.h measures.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace colltree {

// A cell that was measured alone on the first communicator and on all at once, several times by
// turns. Medians in microseconds; 0 = it could not be measured.
struct TriedCell {
  std::string cell;
  std::vector<double> alone_us;
  std::vector<std::vector<double>> together_us;  // by communicator
};

struct Agreement {
  bool agrees = false;
  std::string text;  // "bcast 2 64 linear 0: 1.52 us alone, 1.49 to 1.6 us at once; ..."
};

// They agree when at least one cell was measured everywhere, and each such cell's least median on
// each communicator differs from the least one alone by at most the share `bound`: disturbance only
// adds, so the least of the turns is compared.
Agreement judge(std::span<const TriedCell> cells, double bound);

}  // namespace colltree
