// SPDX-License-Identifier: BSD-3-Clause
// How lines that stand for no method look: a few hues far apart for every eye, each with its
// marker, and every second one dashed.
#pragma once

#include <string>

#include "report/frame.h"

namespace colltree {

LegendEntry line_look(std::string name, std::size_t index, Background background);

}  // namespace colltree
