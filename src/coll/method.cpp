// SPDX-License-Identifier: BSD-3-Clause
#include "coll/method.h"

#include <cctype>

#include "base/text.h"

namespace colltree {

std::string Method::label() const {
  if (!segment_size) return algorithm;
  std::string label;
  bool start = true;
  for (const char c : algorithm) {
    if (c == '_') {
      start = true;
      continue;
    }
    label += start ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    start = false;
  }
  return label + "_" + format_bytes(*segment_size);
}

}  // namespace colltree
