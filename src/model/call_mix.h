// SPDX-License-Identifier: BSD-3-Clause
// What an application calls, and how often: weights for fitting and for the order of tests
// (2007, section 5, the last item of future work). CSV (docs/formats/mix.md):
//   collective,communicator_size,message_size,calls
// A record of a job (call_record.h) is one as it is.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "model/quadtree/label_grid.h"

namespace colltree {

struct CallCount {
  Instance instance;
  double calls = 0;
};

// Throws ParseError with the line: header, number of fields, unknown collective, calls not above 0.
std::vector<CallCount> parse_call_mix(std::string_view content, std::string_view file);
std::vector<CallCount> load_call_mix(const std::filesystem::path& path);

// Calls by grid point, each counted at the point that decides for it. Calls of collectives that the
// grid does not hold are left out. Throws Error when none is left.
std::vector<double> grid_weights(const LabelGrid& grid, std::span<const CallCount> mix);

}  // namespace colltree
