// SPDX-License-Identifier: BSD-3-Clause
#include "cli/held_out_options.h"

namespace colltree {

ContestOptions HeldOutOptions::parsed() const {
  const bool none = held_out.empty() || held_out == "none";
  return {none ? std::vector<HeldOut>() : parse_held_out(held_out), folds, seed};
}

void add_held_out_options(CLI::App& app, HeldOutOptions& options) {
  app.add_option("--held-out", options.held_out,
                 "also judge on points left out, fitted on the rest: comma list of "
                 "communicator_sizes, message_sizes, blocks; or none")
      ->capture_default_str();
  app.add_option("--folds", options.folds, "how many parts are left out, one after the other")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "of the folds and of the bootstrap")
      ->capture_default_str();
}

}  // namespace colltree
