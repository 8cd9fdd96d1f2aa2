// SPDX-License-Identifier: BSD-3-Clause
// bcast bine: down a Bine tree (bine.h names the paper), as binomial but for the partners.
#include "algorithms/bcast_tree.h"
#include "algorithms/bine.h"
#include "algorithms/rows.h"

namespace colltree {

namespace {

// A position receives in the first step in which its partner has the message, and sends in all
// later ones.
Tree bine_tree(int size, int position, int) {
  const Bine bine(size);
  const int joined = bine.joins(position);
  Tree tree;
  if (joined >= 0) tree.parent = bine.partner(position, joined);
  for (int step = bine.steps() - 1; step > joined; --step)
    tree.add_child(bine.partner(position, step));
  return tree;
}

}  // namespace

int bcast_bine(const CollectiveCall& call, const Context& context) {
  int rank = 0;
  int size = 0;
  COLLTREE_TRY(rank_and_size(context, &rank, &size));
  return bcast_along(Placement::from_root(size, call.root).tree(bine_tree, rank), call, context);
}

}  // namespace colltree
