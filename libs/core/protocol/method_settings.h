// SPDX-License-Identifier: BSD-3-Clause
// Which control variables of the MPI library make a cell's method run, with which values. Speaks no
// MPI: LibrarySelector asks the library for the numbers of its algorithms and writes the variables.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "coll/library_algorithms.h"
#include "protocol/plan.h"

namespace colltree::protocol {

using Settings = std::vector<std::pair<std::string, int>>;  // variable, value

// "coll_tuned_bcast_algorithm", "MPIR_CVAR_BCAST_INTRA_ALGORITHM", "MPIR_CVAR_USE_BCAST".
std::string algorithm_variable(Library library, Collective collective);
// MPICH's "MPIR_CVAR_IBCAST_INTRA_ALGORITHM".
std::string nonblocking_variable(Collective collective);

// The needs that the cell's call does not meet, as far as its size says; `count`: elements of a
// block.
std::uint32_t unmet_needs(std::uint32_t needs, const PlanCell& cell, std::uint64_t count);

// "" or why the method would hang or abort.
std::string unfit_radix(const LibraryAlgorithm& algorithm, const Method& method);
std::string unfit_radix(const NonblockingAlgorithm& algorithm, const Method& method);

// Open MPI's "coll_han_use_bcast_algorithm".
std::string han_variable(Collective collective);
// If coll/han stands above coll/tuned, these settings leave the collective to coll/tuned.
Settings settings_below_han(Collective collective);

// `number`: of the algorithm, in its own variable.
Settings openmpi_settings(const LibraryAlgorithm& algorithm, int number, const PlanCell& cell);
Settings mpich_settings(int number, const PlanCell& cell);
// `number`: of the nonblocking algorithm; `nb_number`: of the blocking "nb", which runs it.
Settings mpich_settings(const NonblockingAlgorithm& algorithm, int number, int nb_number,
                        const PlanCell& cell);

}  // namespace colltree::protocol
