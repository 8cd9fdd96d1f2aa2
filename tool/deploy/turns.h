// SPDX-License-Identifier: BSD-3-Clause
// Two commands of a program in turns: AB, BA, AB, ..., so that a slow drift of the machine costs
// both the same.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "evaluate/program_change.h"

namespace colltree::deploy {

struct Turns {
  // Runs the first command (0) or the second (1). What it throws ends the turns.
  std::function<evaluate::ProgramRun(std::size_t command)> run;
  std::function<double()> now_s;
  // The pairs are enough when the interval of the ratio of the whole times is this narrow: half its
  // width, as a fraction.
  double half_width = 0.02;
  // No pair begins that would pass this, if it takes as long as the longest before, ...
  double budget_s = 600;
  std::size_t fewest_pairs = evaluate::kFewestPairs;                       // ... beyond these.
  std::function<void(const std::vector<evaluate::ProgramPair>&)> on_pair;  // may be empty
};

// Adds pairs to those that are there. A pair whose second run throws is not added.
void take_turns(const Turns& turns, std::vector<evaluate::ProgramPair>& pairs);

}  // namespace colltree::deploy
