// SPDX-License-Identifier: BSD-3-Clause
// `colltree fit KIND`: one row for each kind of model that can be fitted, one file each.
#include <fmt/format.h>

#include "cli/command.h"

namespace colltree {

void declare_fit_quadtree(CommandLine& line);
void declare_fit_c45(CommandLine& line);
void declare_fit_optimal(CommandLine& line);

namespace {

constexpr Command kKinds[] = {
    {"quadtree", "quadtree of the 2007 paper; octree over several collectives; kdtree",
     "colltree fit quadtree grig.db --collective bcast --max-depth 3 -o bcast.json",
     declare_fit_quadtree},
    {"c45", "C4.5 tree of the 2006 paper, over one or several collectives",
     "colltree fit c45 grig.db --collective bcast,reduce --weight 40 --confidence 5 -o tree.json",
     declare_fit_c45},
    {"optimal", "the tree of a number of leaves that loses least, with a proof",
     "colltree fit optimal grig.db --collective bcast --leaves 10 -o bcast.json",
     declare_fit_optimal},
};

}  // namespace

void declare_fit(CommandLine& line) {
  line.require_subcommand();
  for (const Command& kind : kKinds) {
    CommandLine& sub = line.add_subcommand(kind.name, kind.summary);
    sub.set_footer(fmt::format("Example:\n  {}", kind.example));
    kind.declare(sub);
  }
}

}  // namespace colltree
