// SPDX-License-Identifier: BSD-3-Clause
// Divides imported rows of a system that was measured with several placements into a system for
// each placement, because a decision map needs a single placement (docs/reference/formats/csv.md).
#pragma once

#include "profile/csv.h"

namespace colltree::profile {

// Makes as few systems as leave every (collective, communicator size, message size) one placement:
// the system itself, if that holds already; one for each number of ranks per node ("NAME-ppn16"),
// for each number of nodes ("NAME-nodes4"), or for each pair ("NAME-4x16"). Rows without a
// placement stay in NAME. Ranks per node come first, because then a system has many communicator
// sizes. Returns the system that each new one was a part of. Throws Error when a new name belongs
// to another system.
std::map<std::string, std::string> split_placements(ReadCells& cells);

}  // namespace colltree::profile
