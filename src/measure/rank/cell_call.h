// SPDX-License-Identifier: BSD-3-Clause
// One method bound to one communicator, ready to be called and timed.
#pragma once

#include <mpi.h>

#include "algorithms/algorithms.h"
#include "measure/plan.h"
#include "measure/rank/cell_buffers.h"

namespace colltree {

struct RankEnvironment;

class CellCall {
 public:
  CellCall(const PlanCell& cell, MPI_Comm comm, const RankEnvironment& environment);

  bool known() const { return library_ || algorithm_ != nullptr; }
  bool library() const { return library_; }
  // Collective; returns an MPI error code.
  int run(const CellBuffers& buffers, std::size_t slot) const;

 private:
  int run_library(const CellBuffers& buffers, std::size_t slot) const;

  PlanCell cell_;
  MPI_Comm comm_;
  CellType type_;
  MPI_Op op_;
  bool library_;  // the MPI library's own choice
  const Algorithm* algorithm_ = nullptr;
  Context context_;
};

}  // namespace colltree
