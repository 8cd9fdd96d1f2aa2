// SPDX-License-Identifier: BSD-3-Clause
// Objectives that are a limit x on the cells' values: for every number of leaves the least x that a
// tree of so many leaves can keep, when it is known how to ask "how few leaves can keep x?".
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "model/optimal/search_limits.h"

namespace colltree::optimal {

// Fewest leaves that keep the limit; more than most_leaves when so many cannot. Nothing: stopped.
using FewestLeaves = std::function<std::optional<std::size_t>(double limit)>;

struct LimitBounds {
  std::vector<double> low;   // by leaves - 1: no tree keeps less
  std::vector<double> high;  // a tree keeps this; infinity: none is known to keep anything
};

// `limits`: the values that x can take, ascending. All numbers of leaves share the questions:
// their number is about (different answers) x log2(values). `wanted` is settled first.
LimitBounds bisect_limits(const std::vector<double>& limits, std::size_t most_leaves,
                          std::size_t wanted, const FewestLeaves& fewest_leaves);

}  // namespace colltree::optimal
