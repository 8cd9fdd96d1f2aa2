// SPDX-License-Identifier: BSD-3-Clause
// VARIABLE="..." lines, as Intel MPI, oneCCL and SMPI are set up: reading shared by their formats.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace colltree {

struct Assignment {
  std::size_t line;
  std::string_view variable;
  std::string_view value;  // without quotes
  std::string problem;     // why the line is no assignment; "" when it is
};

// Lines without comments and blanks; "export " in front and quotes around the value are taken away.
std::vector<Assignment> read_assignments(std::string_view content);

}  // namespace colltree
