// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/reduction.h"

namespace colltree {

int Reduction::open(const void* send, void* receive, int count_of_call, MPI_Datatype type,
                    MPI_Op operation, int root_of_call, const Context& context) {
  COLLTREE_TRY(PMPI_Comm_rank(context.comm, &rank));
  COLLTREE_TRY(PMPI_Comm_size(context.comm, &size));
  COLLTREE_TRY(describe(type, &layout));
  int commutes = 0;
  COLLTREE_TRY(PMPI_Op_commutative(operation, &commutes));
  commutative = commutes != 0;
  op = operation;
  root = root_of_call;
  count = static_cast<std::size_t>(count_of_call);
  result = rank == root ? receive : nullptr;
  own = send == MPI_IN_PLACE ? receive : send;
  return MPI_SUCCESS;
}

}  // namespace colltree
