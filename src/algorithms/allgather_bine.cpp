// SPDX-License-Identifier: BSD-3-Clause
// allgather and allgatherv bine: recursive doubling along a Bine butterfly (bine.h names the
// paper).
#include "algorithms/bine.h"
#include "algorithms/gathering.h"
#include "algorithms/rows.h"

namespace colltree {

int allgather_bine(const CollectiveCall& call, const Context& context) {
  Gathering g;
  COLLTREE_TRY(g.open(call, context));
  const Bine butterfly(g.size);
  // Calls visit(bytes, how many) for the one or two pieces that the blocks of a range are.
  const auto for_each_piece = [&](int first, int blocks, auto visit) -> int {
    const int end = std::min(first + blocks, g.size);
    COLLTREE_TRY(visit(g.space.at(first), g.space.bytes(first, end)));
    return visit(g.space.at(0), g.space.bytes(0, first + blocks - end));
  };
  for (int step = butterfly.steps() - 1; step >= 0; --step) {
    const int partner = butterfly.partner(g.rank, step);
    const int blocks = g.size >> (step + 1);
    Requests requests;
    COLLTREE_TRY(for_each_piece(butterfly.first_reached(partner, step + 1), blocks,
                                [&](std::byte* data, std::size_t length) {
                                  return requests.post_receive_bytes(data, length, partner,
                                                                     context);
                                }));
    COLLTREE_TRY(for_each_piece(butterfly.first_reached(g.rank, step + 1), blocks,
                                [&](const std::byte* data, std::size_t length) {
                                  return requests.post_send_bytes(data, length, partner, context);
                                }));
    COLLTREE_TRY(requests.wait_all());
  }
  return g.close(context);
}

}  // namespace colltree
