// SPDX-License-Identifier: BSD-3-Clause
#include "cli/command.h"

namespace colltree {

void declare_measure(CLI::App& app);
void declare_c45(CLI::App& app);
void declare_methods(CLI::App& app);
void declare_fit(CLI::App& app);
void declare_emit(CLI::App& app);
void declare_decide(CLI::App& app);
void declare_study(CLI::App& app);

namespace {

// In the order of the data flow, which is the order of `colltree --help`.
constexpr Command kCommands[] = {
    {"methods", "list the portable methods and where each can run",
     "colltree methods --collective bcast", declare_methods},
    {"measure", "time the methods on a simulated or real cluster",
     "colltree measure --platform grig --collective bcast -o grig.db", declare_measure},
    {"fit", "fit a model to a profile",
     "colltree fit quadtree grig.db --collective bcast --max-depth 3 -o bcast.json", declare_fit},
    {"emit", "write a model as source or as the rules of a library",
     "colltree emit c bcast.json -o bcast.c", declare_emit},
    {"c45", "grow and prune a C4.5 tree from STEM.names and STEM.data, as release 8",
     "colltree c45 -f STEM -m 40 -c 5", declare_c45},
    {"decide", "the method for one instance, by a model or a compact decision file",
     "colltree decide bcast.cdt bcast 25 480", declare_decide},
    {"study", "what limits and encodings cost a quadtree",
     "colltree study depth grig.db --collective bcast -o depth.csv", declare_study},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

}  // namespace colltree
