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

#include "coll/method.h"

namespace colltree {

struct CallCount {
  Instance instance;
  double calls = 0;
};

// Throws ParseError with the line: header, number of fields, unknown collective, calls not above 0.
std::vector<CallCount> parse_call_mix(std::string_view content, std::string_view file);
std::vector<CallCount> load_call_mix(const std::filesystem::path& path);

}  // namespace colltree
