// SPDX-License-Identifier: BSD-3-Clause
#include "cli/command.h"

namespace colltree {

void declare_measure(CLI::App& app);
void declare_methods(CLI::App& app);

namespace {

// In the order of the data flow, which is the order of `colltree --help`.
constexpr Command kCommands[] = {
    {"methods", "list the portable methods and where each can run",
     "colltree methods --collective bcast", declare_methods},
    {"measure", "time the methods on a simulated or real cluster",
     "colltree measure --platform grig --collective bcast -o grig.db", declare_measure},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

}  // namespace colltree
