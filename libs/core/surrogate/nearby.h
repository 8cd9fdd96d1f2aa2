// SPDX-License-Identifier: BSD-3-Clause
// Beliefs where the points are too many for one process: a few instances together are judged by the
// points nearest to them.
#pragma once

#include <vector>

#include "surrogate/observed.h"

namespace colltree::surrogate {

// The estimates by the first kernel, instances x methods. Cost: for each eight instances of one
// communicator size the cube of the number of points near them.
std::vector<Moments> moments_by_neighbours(const Observed& observed);

}  // namespace colltree::surrogate
