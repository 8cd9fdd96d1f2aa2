// SPDX-License-Identifier: BSD-3-Clause
// allreduce recursive_doubling: in step i each rank exchanges all that it has with the one at
// distance 2^i and folds it in (Thakur, Rabenseifner, Gropp 2005, on allreduce). Keeps rank order.
#include "algorithms/power_group.h"
#include "algorithms/rows.h"

namespace colltree {

int allreduce_recursive_doubling(const CollectiveCall& call, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  const PowerGroup group(r.size, r.rank);
  const Range all{0, r.count};
  Partial partial(r, context);
  COLLTREE_TRY(partial.open(r.result));
  COLLTREE_TRY(group.gather_pairs(partial, r.count));
  const int member = group.member();
  if (member == kNoMember)
    return receive_elements(r.result, r.count, r.layout, group.pair(), context);
  for (int distance = 1; distance < group.members(); distance *= 2)
    COLLTREE_TRY(partial.exchange(group.rank_of(member ^ distance), all, all));
  COLLTREE_TRY(partial.settle(all));
  if (group.pair() < 0) return MPI_SUCCESS;
  return send_elements(r.result, r.count, r.layout, group.pair(), context);
}

}  // namespace colltree
