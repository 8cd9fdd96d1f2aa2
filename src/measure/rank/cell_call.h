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
  // `shape`: of the caller's call in comm. `layout`: of comm's ranks; must outlive this.
  // `payload`: shared, the messages carry no content, except where the schedule needs it.
  CellCall(const PlanCell& cell, const CellShape& shape, MPI_Comm comm, const NodeLayout& layout,
           const RankEnvironment& environment, Payload payload = Payload::kOwn);

  bool known() const { return library_ || method_.algorithm != nullptr; }
  bool library() const { return library_; }
  // Collective; returns an MPI error code.
  int run(const CellBuffers& buffers, std::size_t slot) const;

 private:
  PlanCell cell_;
  MPI_Comm comm_;
  CellShape shape_;
  MPI_Op op_;
  bool library_;  // an MPI call, not an algorithm of ours
  PortableMethod method_;
  Context context_;
  void (*carry_content_)(bool carries) = nullptr;  // null: they always do

  bool needs_content() const;
  int call(const CellBuffers& buffers, std::size_t slot) const;
};

// The MPI library's collective with root 0, as `shape` says. Collective; returns an MPI error code.
int call_library(Collective collective, const CellShape& shape, void* send, void* receive,
                 MPI_Op op, MPI_Comm comm);

}  // namespace colltree
