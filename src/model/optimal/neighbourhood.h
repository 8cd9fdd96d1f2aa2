// SPDX-License-Identifier: BSD-3-Clause
// Times between the measured points, for trees that must be good there too (objective "between").
// Programs use sizes that nobody measured; a tree that is fitted to the measured points alone
// believes each of them, and takes whatever costs nothing where there is none.
#pragma once

#include <vector>

#include "model/optimal/measured_grid.h"

namespace colltree::optimal {

// Gives the holes of a grid of sizes times and the weight 1. Along each axis of sizes with measured
// points on both sides the logarithm of a method's time is interpolated linearly in log2 of the
// size; two axes are averaged. A hole that no axis brackets takes the times of the nearest point
// along each axis. What cannot run at one of these points takes twice as long as the slowest: it
// may stand there, but not for nothing. Grids with a placement keep their holes: ranks x nodes x
// ranks per node leave most cells empty. Cost: cells x methods.
void fill_holes(MeasuredGrid& grid);

// The mean performance penalty of each method in the part of the plane that is nearest to each
// cell (cells x methods; kNotAllowed where it cannot run, 0 in holes): at nine points, the cell and
// a third of the way to its neighbours along both axes, times linear in log-log space. A method
// that the neighbour does not have changes as the best one does. `tied` as in penalties().
// Cost: 9 x cells x methods.
std::vector<double> penalties_between(const MeasuredGrid& grid, bool tied);

}  // namespace colltree::optimal
