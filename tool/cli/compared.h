// SPDX-License-Identifier: BSD-3-Clause
// The fitters of `compare`, with those that it fits by default, and its table of runs side by side.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "cli/profile_options.h"

namespace colltree::model {
class Fitter;
}  // namespace colltree::model
namespace colltree::cli {

// The fitters that the kinds name (Kind::compared), as one text for parse_compared.
std::string default_compared();

// Takes the network model's name, "loggp", out of such a text. False: it is not there.
bool take_network_model(std::string& text);

// Fitters separated by blanks or semicolons; `quadtree:max_depth=*` (also kdtree) stands for each
// depth from 1 until the tree of these timings is exact.
std::vector<model::Fitter> parse_compared(std::string text, const Timings& timings);

// `colltree evaluate compare A.db B.db` (evaluate/runs.h).
//
// True if the files behind the first profile are profiles, too; false if they are models. Throws
// UsageError for a mixture.
bool are_profiles(const std::vector<std::string>& files);

void compare_runs(const ProfileOptions& first, const std::vector<std::string>& others);

// The document of `compare_runs` with `--json` (docs/reference/formats/schemas/side-by-side.json).
Json compared_runs_json(const ProfileOptions& first, const std::vector<std::string>& others);

}  // namespace colltree::cli
