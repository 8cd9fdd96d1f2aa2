// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "measure/rank/cell_shape.h"

namespace colltree {

// The MPI library's collective with root 0, as `shape` says. Collective; returns an MPI error code.
int call_library(Collective collective, const CellShape& shape, void* send, void* receive,
                 MPI_Op op, MPI_Comm comm);

}  // namespace colltree
