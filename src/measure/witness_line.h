// SPDX-License-Identifier: BSD-3-Clause
// "@witness CODE IDS CELL": what a call returned on rank 0 (an MPI error class, 0 = none) and which
// of the collective's algorithms ran ("1,3"; "-" = none that is known).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measure/plan.h"

namespace colltree {

inline constexpr const char* kBuiltinAlgorithm = "builtin";  // in witness plans only

struct Witnessed {
  PlanCell cell;
  int code = 0;
  std::vector<int> ids;
};

std::string witness_line(const Witnessed& witnessed);  // with newline
std::optional<Witnessed> parse_witness_line(std::string_view line);

}  // namespace colltree
