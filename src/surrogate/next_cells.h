// SPDX-License-Identifier: BSD-3-Clause
// Which cells a campaign measures next: those whose knowledge is expected to improve the choices of
// methods most, at their own point and at all that go with it, for what they cost (the knowledge
// gradient per cost; Frazier, Powell and Dayanik 2009).
#pragma once

#include <functional>
#include <vector>

#include "surrogate/surrogate.h"

namespace colltree::surrogate {

// What it takes to measure a cell whose time is expected to be `time_us`: in whatever the budget
// counts.
using CellCost = std::function<double(GridCell, double time_us)>;

// The first cells of a campaign: all methods at a coarse grid of 3 x 3 points without the most
// expensive corner, and one more cell for each communicator size that is not among them, so that
// each is known to work. Of allowed cells that are not measured; in an order that can be cut short.
std::vector<GridCell> first_cells(const Surrogate& surrogate);

// At most `count` cells, the best first, chosen one after the other as if the ones before were
// measured. Fewer, or none, where nothing is left that could gain.
std::vector<GridCell> next_cells(const Surrogate& surrogate, std::size_t count,
                                 const CellCost& cost);

}  // namespace colltree::surrogate
