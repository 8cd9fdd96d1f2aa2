// SPDX-License-Identifier: BSD-3-Clause
// A few cells of a decision map as a table with the names of the methods (2007, figure 1 b).
#pragma once

#include <string>

#include "report/method_maps.h"

namespace colltree {

// At most so many rows and columns, evenly taken from the map, the first and the last among them.
std::string draw_table(const MethodMap& map, std::size_t rows, std::size_t columns,
                       const std::string& title, Background background);

}  // namespace colltree
