// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/reduction.h"

namespace colltree {

int Reduction::open(const CollectiveCall& call, const Context& context) {
  COLLTREE_TRY(PMPI_Comm_rank(context.comm, &rank));
  COLLTREE_TRY(PMPI_Comm_size(context.comm, &size));
  COLLTREE_TRY(describe(call.receive_type, &layout));
  int commutes = 0;
  COLLTREE_TRY(PMPI_Op_commutative(call.op, &commutes));
  commutative = commutes != 0;
  op = call.op;
  root = call.root;
  count = static_cast<std::size_t>(call.receive_count);
  result = rank == root ? call.receive : nullptr;
  own = call.send == MPI_IN_PLACE ? call.receive : call.send;
  return MPI_SUCCESS;
}

}  // namespace colltree
