// SPDX-License-Identifier: BSD-3-Clause
// Imported rows of one system that were measured with several placements, as a system for each: a
// decision map holds one (docs/reference/formats/csv.md).
#pragma once

#include "profile/csv.h"

namespace colltree::profile {

// Each system becomes as few as leave every (collective, communicator size, message size) one
// placement: itself, when that holds already; one for each number of ranks per node
// ("NAME-ppn16"), for each number of nodes ("NAME-nodes4"), or for each pair ("NAME-4x16"). Rows
// that do not say stay in NAME. By ranks per node first, because then a system has many
// communicator sizes. After PackedRows::close. Throws Error when a new name is another system's.
void split_placements(PackedRows& rows);

}  // namespace colltree::profile
