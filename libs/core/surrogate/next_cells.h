// SPDX-License-Identifier: BSD-3-Clause
// Chooses the cells that a campaign measures next: those that are expected to improve the choices
// of methods most for their cost, at their own point and at all correlated ones (the knowledge
// gradient per cost; Frazier, Powell and Dayanik 2009).
#pragma once

#include <functional>
#include <vector>

#include "surrogate/surrogate.h"

namespace colltree::surrogate {

// The cost of measuring a cell whose time is expected to be `time_us`, in the unit of the budget.
using CellCost = std::function<double(GridCell, double time_us)>;

// The first cells of a campaign: all methods at a coarse grid of 3 x 3 points without the most
// expensive corner, and one more cell for each remaining communicator size, so that each is known
// to work. Only allowed cells that are not measured; the list can be cut short at any place.
std::vector<GridCell> first_cells(const Surrogate& surrogate);

// At most `count` cells, the best first, each chosen as if the ones before were measured. There are
// fewer, or none, when no other cell could gain anything.
std::vector<GridCell> next_cells(const Surrogate& surrogate, std::size_t count,
                                 const CellCost& cost);

}  // namespace colltree::surrogate
