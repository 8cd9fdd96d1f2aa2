// SPDX-License-Identifier: BSD-3-Clause
// Tests ask here which text of the source a JSON value was read from.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace colltree {

inline std::string text_in(std::string_view text, const Json::Place& place) {
  return std::string(text.substr(place.begin, place.end - place.begin));
}

}  // namespace colltree
