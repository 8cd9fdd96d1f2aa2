// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace colltree {

// The page without its data, made from web/report when the program is built: HTML with the marker
// below where the JSON block goes. Empty when the program was built without it.
std::string_view report_template();
inline constexpr std::string_view kDataMarker = "@COLLTREE_REPORT_DATA@";

}  // namespace colltree
