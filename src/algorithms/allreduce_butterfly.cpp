// SPDX-License-Identifier: BSD-3-Clause
// allreduce butterfly: reduced and scattered by halving that begins with near ranks, as the
// reduce_scatter of that name (Traff, An improved algorithm for (non-commutative) reduce-scatter
// with an application, 2005), then gathered the same way back. Every element is added up along
// recursive doubling's tree, which is what runs where the message is too short: so sums keep their
// bits whatever their length. Keeps rank order.
#include <array>

#include "algorithms/power_group.h"
#include "algorithms/rows.h"

namespace colltree::rows {

int allreduce_butterfly(const CollectiveCall& call, const Context& context) {
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  const PowerGroup group(r.size, r.rank);
  Partial partial(r, context);
  COLLTREE_TRY(partial.open(r.result));
  COLLTREE_TRY(group.gather_pairs(partial, r.count));
  const int member = group.member();
  if (member == kNoMember)
    return receive_elements(r.result, r.count, r.layout, group.pair(), context);

  const EqualParts parts(r.count, group.members());
  std::array<int, 32> begins;  // of the parts that were this member's before each step
  int first = 0;
  int length = group.members();
  int step = 0;
  for (int distance = 1; distance < group.members(); distance *= 2) {
    begins[step++] = first;
    length /= 2;
    const bool upper = (member & distance) != 0;
    const Range low = parts.range(first, first + length);
    const Range high = parts.range(first + length, first + 2 * length);
    if (upper) first += length;
    COLLTREE_TRY(
        partial.exchange(group.rank_of(member ^ distance), upper ? low : high, upper ? high : low));
  }
  COLLTREE_TRY(partial.settle(parts.range(first, first + length)));

  for (int distance = group.members() / 2; distance > 0; distance /= 2) {
    const int begin = begins[--step];
    const int theirs_first = first == begin ? begin + length : begin;
    const Range mine = parts.range(first, first + length);
    const Range theirs = parts.range(theirs_first, theirs_first + length);
    const int peer = group.rank_of(member ^ distance);
    COLLTREE_TRY(exchange_elements(r.layout.element(r.result, mine.first), mine.count, peer,
                                   r.layout.element(r.result, theirs.first), theirs.count, peer,
                                   r.layout, context));
    first = begin;
    length *= 2;
  }
  if (group.pair() < 0) return MPI_SUCCESS;
  return send_elements(r.result, r.count, r.layout, group.pair(), context);
}

}  // namespace colltree::rows
