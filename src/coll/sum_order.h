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

#include "coll/catalogue.h"

namespace colltree {

struct SumOrder {
  SumTree tree = SumTree::kUnordered;
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
