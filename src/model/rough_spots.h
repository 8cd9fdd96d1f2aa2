// SPDX-License-Identifier: BSD-3-Clause
// Where decisions are rough. Islands: leaves of a rule tree that are hardly worth their test; one
// is removed by giving its region to the other side of the test above it. Cliffs: neighbouring
// measured instances where the decision changes and the time changes more than it does beside them.
// Open MPI 4.1 had one of a factor of ten at 128 ranks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/rule_tree.h"
#include "timings/penalty.h"

namespace colltree::model {

// The region of a leaf: bounds of each attribute, inclusive.
struct Region {
  std::uint64_t least[kAttributes] = {};
  std::uint64_t most[kAttributes] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, 1, 1};
};
// "communicator_size 3..12, message_size 8193.." with what is bounded; "everywhere".
std::string region_text(const Region& region);

struct Island {
  Collective collective = Collective::kBcast;
  Region region;
  Method method;
  std::vector<Method> instead;  // what would decide there for the measured instances, in tie order
  std::size_t instances = 0;    // measured ones in the region
  double cost = 0;              // what removal adds to the mean penalty of the collective; may be
                                // negative
  std::uint32_t parent = 0;     // the test that goes
  bool low = false;             // on which side of it the leaf is
};

// A tree of the same decisions in which every node has one parent; only what roots reach.
RuleTree unfolded(const RuleTree& tree);

// Every leaf of an unfolded tree whose removal adds at most `most_cost` (a fraction) to the mean
// penalty and makes no measured instance choose a method that cannot run there; the cheapest first,
// then the fewest instances. Collectives without timings are left alone.
// Cost: instances x depth.
std::vector<Island> find_islands(const RuleTree& unfolded_tree, const std::vector<Timings>& timings,
                                 double most_cost);

// Removes islands, the cheapest first, as long as the mean penalty of no collective grows by more
// than `within` in all. Greedy: no claim that no smaller tree exists.
// Cost: leaves removed x instances x depth.
RuleTree merge_islands(const RuleTree& tree, const std::vector<Timings>& timings, double within);

// A cliff.
struct Jump {
  Instance from;  // the smaller of the two sizes
  Instance to;    // the next measured size on the same line of the grid
  Method before;
  Method after;
  double before_us = 0;
  double after_us = 0;
  double penalty_before = 0;  // what the choices lose there, fractions: 0 at both ends means that
  double penalty_after = 0;   // no choice avoids the jump
  double expected_us = 0;     // the time at `to` by the trend of the neighbours
  double factor = 0;          // after / expected, or its inverse when the time falls: 1 and above
  bool predicted = false;     // a time of the two was not measured
};

// Lines run along communicator sizes and along message sizes. Trend: the slope of log time against
// log size over the steps before and after on the line in which the decision does not change (their
// mean); where there is none, that of the best time over the same step. Jumps by more than
// `least_factor`, the greatest first. Instances where the choice cannot run are skipped.
// Throws Error when a point was measured with several placements.
std::vector<Jump> find_jumps(const Timings& timings, const Chooser& choose, double least_factor);

}  // namespace colltree::model
