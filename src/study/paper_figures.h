// SPDX-License-Identifier: BSD-3-Clause
// The figures of the two papers, drawn from timings of the clusters that stand for theirs.
//   2006  figures 2 to 4; figure 1 is a text box
//   2007  figures 1 to 6
// Which limits the papers' maps have is known for 2006 (in the captions); of 2007 the tables list
// depths 1 to 6 and the text says three maps: 4, 3 and 2 here, and thresholds of 80, 60 and 40 %.
#pragma once

#include <string>
#include <vector>

#include "timings/timings.h"

namespace colltree {

struct PaperFigure {
  std::string name;  // "2006-figure-2"
  std::string svg;
};

std::vector<PaperFigure> figures_2006(const Timings& grig_bcast, const Timings& grig_reduce);

struct Timings2007 {
  Timings frodo_bcast;
  Timings frodo_reduce;
  Timings grig_bcast;
  Timings grig_reduce;
};
std::vector<PaperFigure> figures_2007(const Timings2007& timings);

}  // namespace colltree
