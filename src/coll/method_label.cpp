// SPDX-License-Identifier: BSD-3-Clause
// Apart from method.cpp, which the runtime library has: sizes in words need fmt.
#include <cctype>

#include "base/text.h"
#include "coll/method.h"

namespace colltree {

std::string Method::label() const {
  if (!segment_size) return name();
  std::string label;
  bool start = true;
  for (const char c : name()) {
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
