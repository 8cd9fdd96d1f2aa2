// SPDX-License-Identifier: BSD-3-Clause
// How a message of so many bytes becomes one MPI call of each collective: what every rank passes,
// and what must be in its memory afterwards. Blocks of the v-collectives are all equal.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "coll/method.h"

namespace colltree {

struct CellShape {
  MPI_Datatype type = MPI_BYTE;
  std::uint64_t type_size = 1;
  int count = 0;  // of one block; of the whole message for reduce_scatter
  bool reduction = false;
  bool sum = false;              // a reduction: MPI_SUM of 32-bit integers, else MPI_BXOR of bytes
  std::uint64_t send_bytes = 0;  // of this rank
  std::uint64_t receive_bytes = 0;  // of this rank
  // Reductions: the result is the combination of these ranks' elements from `result_offset` on.
  std::uint64_t contributors = 0;   // ranks 0 .. contributors - 1
  std::uint64_t result_offset = 0;  // elements
  // reduce_scatter, allgatherv, alltoallv: elements of each rank and where they begin.
  std::vector<int> counts;
  std::vector<int> displacements;
};

// Reductions add 32-bit integers where the message size allows, else combine bytes by exclusive or.
// `integers` false: always bytes.
CellShape cell_shape(const Instance& instance, int rank, bool integers = true);

}  // namespace colltree
