// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/witness_run.h"

#include <cstdio>

#include "measure/rank/cell_buffers.h"
#include "measure/rank/control_variables.h"
#include "measure/rank/library_call.h"
#include "measure/rank/witness.h"
#include "measure/witness_line.h"

namespace colltree {

namespace {

MPI_Comm first_ranks(std::uint64_t size, int world_rank) {
  MPI_Comm comm = MPI_COMM_NULL;
  const bool member = static_cast<std::uint64_t>(world_rank) < size;
  MPI_Comm_split(MPI_COMM_WORLD, member ? 0 : MPI_UNDEFINED, world_rank, &comm);
  if (member) MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return comm;
}

Witnessed call_once(const PlanCell& cell, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const CellShape shape = cell_shape(cell.instance(), rank);
  const CellBuffers buffers(cell.instance(), rank, 1);
  reset_witness();
  const int code = call_library(cell.collective, shape, buffers.send(0), buffers.receive(0),
                                shape.sum ? MPI_SUM : MPI_BXOR, comm);
  Witnessed witnessed{cell, 0, witnessed_ids(cell.collective)};
  if (code != MPI_SUCCESS) MPI_Error_class(code, &witnessed.code);
  return witnessed;
}

}  // namespace

void run_witness(const Plan& plan) {
  int world_rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  ControlVariables variables;
  for (std::size_t begin = 0; begin < plan.cells.size();) {
    const std::uint64_t size = plan.cells[begin].communicator_size;
    MPI_Comm with_rules = first_ranks(size, world_rank);
    variables.write_flag("coll_tuned_use_dynamic_rules", false);
    MPI_Comm builtin = first_ranks(size, world_rank);
    variables.write_flag("coll_tuned_use_dynamic_rules", true);
    for (; begin < plan.cells.size() && plan.cells[begin].communicator_size == size; ++begin) {
      if (with_rules == MPI_COMM_NULL) continue;
      const PlanCell& cell = plan.cells[begin];
      const Witnessed witnessed =
          call_once(cell, cell.method.algorithm == kBuiltinAlgorithm ? builtin : with_rules);
      if (world_rank == 0) std::fputs(witness_line(witnessed).c_str(), stdout);
    }
    if (with_rules != MPI_COMM_NULL) MPI_Comm_free(&with_rules);
    if (builtin != MPI_COMM_NULL) MPI_Comm_free(&builtin);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  std::fflush(stdout);
}

}  // namespace colltree
