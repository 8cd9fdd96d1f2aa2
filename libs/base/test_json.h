// SPDX-License-Identifier: BSD-3-Clause
// For tests: what stands at the place of a value.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace colltree {

inline std::string text_in(std::string_view text, const Json::Place& place) {
  return std::string(text.substr(place.begin, place.end - place.begin));
}

}  // namespace colltree
