// SPDX-License-Identifier: BSD-3-Clause
// From cases to trees as release 8's own program makes them: the fast or its own way, windowed or
// not, pruned, with soft thresholds. Trees on timings need neither windows nor soft thresholds.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "colltree/c45.hpp"
#include "release8/reader.h"

namespace colltree::c45 {

// Windowing (-t -w -i): trees grown on a sample that takes in its own exceptions cycle by cycle,
// several trials, the best one kept (reference/c45-release8.md, section 10).
struct WindowOptions {
  std::optional<std::uint64_t> trials;     // -t
  std::optional<std::uint64_t> window;     // -w: cases in the first window
  std::optional<std::uint64_t> increment;  // -i: most exceptions added in a cycle
  bool any() const { return trials || window || increment; }
};

// Soft thresholds (-p): sets lower and upper of every threshold test to where the errors rise one
// standard error above those of the cut itself (reference/c45-release8.md, section 11). Only the
// cases that reach a node by known values count. Classification keeps the hard cut, as release 8's
// own evaluation does. O(depth) classifications for each case.
void set_soft_thresholds(Tree& tree, const Schema& schema, const Cases& cases);

// Whether any case lacks a value of an attribute that is not ignored.
bool has_unknowns(const Schema& schema, const Cases& cases);

struct TrainOptions {
  TreeOptions tree;
  WindowOptions windowing;         // on where one of its numbers is given
  bool soft_thresholds = false;    // -p
  bool in_release8_order = false;  // tests: the slow way even for complete data
};

struct Training {
  std::vector<Trial> trials;  // one without windowing
  std::size_t best = 0;       // the trial with the smallest pessimistic estimate
};

Training train(const Schema& schema, const Cases& cases, const TrainOptions& options);

}  // namespace colltree::c45
