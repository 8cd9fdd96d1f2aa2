// SPDX-License-Identifier: BSD-3-Clause
// What tests of pictures share.
#pragma once

#include <string>
#include <vector>

namespace colltree::testing {

// Elements are closed in the order in which they were opened.
inline bool well_formed(const std::string& svg) {
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = svg.find('<', at)) != std::string::npos;) {
    const std::size_t end = svg.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = svg.substr(at + 1, end - at - 1);
    at = end;
    if (tag.ends_with('/') || tag.starts_with('?')) continue;
    if (!tag.starts_with('/')) {
      open.push_back(tag.substr(0, tag.find(' ')));
    } else if (open.empty() || open.back() != tag.substr(1)) {
      return false;
    } else {
      open.pop_back();
    }
  }
  return open.empty() && svg.ends_with("</svg>\n");
}

}  // namespace colltree::testing
