// SPDX-License-Identifier: BSD-3-Clause
// In which order a method adds up what the ranks contribute. Floating-point addition commutes but
// is not associative: two calls give the same bits where every element is added up along one and
// the same tree of pairs. A method has an order where that tree follows from the communicator size
// and the root alone: not from where in the message an element lies, how long the message is, how
// it is cut, or how ranks are placed on nodes; and where that holds of what runs in its place too.
// Methods of one order may take turns. tests/schedules proves every row.
#pragma once

#include <optional>
#include <string>

#include "coll/method.h"

namespace colltree {

// x_0 is the root's contribution, x_i that of the rank i above it (modulo the communicator size);
// without a root, and where ranks are said, x_i is rank i's.
enum class SumTree : std::uint8_t {
  kDownwards,     // ((x_0 + x_-1) + x_-2) + ...
  kUpwards,       // ((x_0 + x_1) + x_2) + ..., by ranks
  kChain,         // x_0 + (x_1 + (x_2 + ...))
  kBinomial,      // up the tree of that name: each its own, then its children's, nearest first
  kKnomial,       // likewise
  kBinary,        // likewise
  kRanksBinary,   // up the binary tree that stands on the highest rank
  kHalvesBinary,  // that of the lower half of the ranks with that of the upper one
  kNearPairs,     // by ranks: neighbours, then pairs of neighbours, ... (power_group.h)
  kNearGroups,    // by ranks: neighbours up to the radix, then groups of these (power_group.h)
  kFarPairs,      // by ranks: one with the one half of all away, then a quarter, ...
  kBlocks,        // of a prefix: neighbours, pairs of neighbours, ..., the longest block last
  kFenwick,       // of a prefix: up the binomial tree over ranks and down again
};

struct SumOrder {
  SumTree tree = SumTree::kNearPairs;
  std::uint64_t radix = 0;  // of kKnomial and kNearGroups

  bool operator==(const SumOrder&) const = default;
};

// "near pairs", "4-nomial tree".
std::string text_of(const SumOrder& order);

// Whether the collective adds up at all: of the others every method gives the same bits.
bool adds_up(Collective collective);

// None: the tree differs from element to element, with the placement, or is not known, as with the
// library's own choice.
std::optional<SumOrder> sum_order(Collective collective, const Method& method);

}  // namespace colltree
