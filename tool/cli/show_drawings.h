// SPDX-License-Identifier: BSD-3-Clause
// The drawings of `colltree show` in the terminal: decision maps, penalties and trees.
#pragma once

#include <string>
#include <vector>

#include "cli/profile_options.h"

namespace colltree::cli {

struct DrawingOptions {
  ProfileOptions timings;  // its profile may be a model
  std::vector<std::string> models;
  std::string fitters;
  bool map = false;
  bool penalty = false;
  bool tree = false;
  std::string output;  // "" = maps are not written
};

// The maps and penalties of a profile and what models make of it; all where none is asked for.
void draw_profile(const DrawingOptions& options);
// The trees, or the maps, of models alone: of `timings.profile` and then `models`.
void draw_models(const DrawingOptions& options);

}  // namespace colltree::cli
