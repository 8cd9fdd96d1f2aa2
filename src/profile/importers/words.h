// SPDX-License-Identifier: BSD-3-Clause
// A line of a benchmark's output, taken apart.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace colltree {

// What stands between blanks and tabs.
std::vector<std::string_view> words_of(std::string_view line);

// What stands between two blanks or more, or tabs: names of columns that hold single blanks.
std::vector<std::string_view> cells_of(std::string_view line);

// The number x 10^exponent, rounded once, so that 0.0000109819 s is 10.9819 us and nothing beside;
// nothing when the text is no finite number.
std::optional<double> find_scaled(std::string_view number, int exponent);

}  // namespace colltree
