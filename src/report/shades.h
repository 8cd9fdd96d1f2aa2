// SPDX-License-Identifier: BSD-3-Clause
// How a palette finds its colours: which hue an algorithm has and which lightness each method.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/palette.h"

namespace colltree {

// For each algorithm its family: the one that names it, unless another algorithm of the set that is
// no synonym has it.
std::map<std::string, std::size_t> hue_families(const std::vector<Method>& methods);

// A colour for each method. Methods are sorted by family, then from the lightest to the darkest.
std::vector<Colour> deal_shades(const std::vector<std::size_t>& family_of_method,
                                Background background, PaletteUse use);

}  // namespace colltree
