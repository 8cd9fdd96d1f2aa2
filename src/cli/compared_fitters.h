// SPDX-License-Identifier: BSD-3-Clause
// What `compare` fits when it is not told otherwise.
#pragma once

#include <string>
#include <vector>

#include "model/fitter.h"
#include "timings/timings.h"

namespace colltree {

// The fitters that the kinds name (Kind::compared), as one text for parse_compared.
std::string default_compared();

// Takes the network model's name, "loggp", out of such a text. False: it is not there.
bool take_network_model(std::string& text);

// As parse_fitters; `quadtree:max_depth=*` (also kdtree) stands for each depth from 1 until the
// tree of these timings is exact.
std::vector<Fitter> parse_compared(const std::string& text, const Timings& timings);

}  // namespace colltree
