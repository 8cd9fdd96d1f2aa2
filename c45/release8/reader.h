// SPDX-License-Identifier: BSD-3-Clause
// Reads release 8's STEM.names, STEM.data and STEM.test (docs/reference/formats/c45.md).
//
// Two grades of error, as in release 8. What leaves no schema or no cases throws ParseError
// ("FILE:LINE: reason"). What release 8 puts up with (an unknown value or class) is a Problem: it
// is recorded, the value becomes unknown or the class the first one, and reading goes on; the
// eleventh problem of a file throws.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "colltree/c45.hpp"

namespace colltree::c45 {

using Problems = std::vector<std::string>;  // each "FILE:LINE: reason"

// `name` stands for the file in messages.
Schema parse_names(std::string_view text, std::string_view name, Problems& problems);

// Adds the values of "discrete n" attributes to the schema as they appear.
Cases parse_cases(std::string_view text, std::string_view name, Schema& schema, Problems& problems);

struct Dataset {
  Schema schema;
  Cases cases;
};

// STEM.names and STEM.data.
Dataset read_dataset(const std::filesystem::path& stem, Problems& problems);

// STEM.names, or STEM.data, or STEM.test beside `stem`: release 8 adds the ending to the text.
std::filesystem::path with_ending(const std::filesystem::path& stem, std::string_view ending);

}  // namespace colltree::c45
