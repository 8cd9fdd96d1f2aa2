// SPDX-License-Identifier: BSD-3-Clause
// What one file of results is about, as far as somebody says it: the file itself, its name
// (name_pattern.h) or the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "coll/method.h"

namespace colltree {

struct FileFacts {
  std::optional<Collective> collective;
  std::optional<std::uint64_t> communicator_size;
  std::optional<std::uint64_t> nodes;
  std::optional<std::uint64_t> ranks_per_node;
  std::optional<Method> method;
  std::optional<int> openmpi_number;  // the method, as Open MPI counts the collective's algorithms
  std::string system;                 // "" = not said
  std::string mpi;                    // library and version; "" = not said
};

// The collective that a benchmark calls so, in any case: "bcast", "Broadcast", "all_reduce",
// "MPI_Allgather", "reduce_scatter_block", "osu_alltoall".
std::optional<Collective> find_called_collective(std::string_view name);

// Open MPI's algorithm with this number in coll_tuned_COLLECTIVE_algorithm; 0 = the default.
// Nothing when there is none.
std::optional<Method> find_openmpi_method(Collective collective, int number);

// Of these two, what either says. Throws Error where both do and differ: "collective bcast here,
// reduce in the name or on the command line". The second's system and mpi go before the first's.
FileFacts agreed(const FileFacts& file, const FileFacts& given);

}  // namespace colltree
