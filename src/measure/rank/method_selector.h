// SPDX-License-Identifier: BSD-3-Clause
// What lets a library's own algorithm run in place of the library's choice, as measure_rank sees
// it.
#pragma once

#include <mpi.h>

#include <string>

#include "measure/plan.h"
#include "measure/rank/cell_shape.h"

namespace colltree {

class MethodSelector {
 public:
  virtual ~MethodSelector() = default;

  // Prepares the cell's method; "" or why it cannot run here. Collective over `comm`.
  virtual std::string select(const PlanCell& cell, const CellShape& shape, MPI_Comm comm) = 0;
  virtual MPI_Comm comm() const = 0;  // where it runs
  virtual void release() = 0;         // collective

  // Around the calls that shall run it, on every rank.
  virtual void begin() = 0;
  virtual void end() = 0;

  // After a first call between begin and end: "" or what ran instead, as far as can be seen.
  virtual std::string other_than_selected() const = 0;
};

}  // namespace colltree
