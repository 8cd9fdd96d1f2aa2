// SPDX-License-Identifier: BSD-3-Clause
#include "cli/held_out_options.h"

#include "cli/limits.h"

namespace colltree {

ContestOptions HeldOutOptions::parsed() const {
  const bool none = held_out.empty() || held_out == "none";
  return {none ? std::vector<HeldOut>() : parse_held_out(held_out), folds, seed};
}

Option& add_held_out_options(CommandLine& line, HeldOutOptions& options) {
  Option& held_out = line.add("--held-out", options.held_out,
                              "also judge on points left out, fitted on the rest: comma list of "
                              "communicator_sizes, message_sizes, blocks; or none")
                         .show_default();
  line.add("--folds", options.folds, {2, 1000}, "how many parts are left out, one after the other")
      .show_default();
  line.add("--seed", options.seed, limits::kSeed, "of the folds and of the bootstrap")
      .show_default();
  return held_out;
}

}  // namespace colltree
