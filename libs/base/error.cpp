// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.h"

#include "base/text.h"

namespace colltree {

namespace {

// A message is one readable line, but a broken file may have all its remaining text in place of a
// word.
std::string quoted(std::string_view text) {
  constexpr std::size_t kMost = 200;
  if (text.size() <= kMost) return concat("'", text, "'");
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
    --end;  // inside UTF-8
  return concat("'", text.substr(0, end), "'... (", text.size(), " bytes)");
}

}  // namespace

// The text of a file may hold control sequences that a terminal would execute.
ParseError::ParseError(std::string_view file, std::size_t line, std::string_view expected,
                       std::string_view got)
    : Error(printable(concat(file, ":", line, ": expected ", expected, ", got ", quoted(got)))) {}

ParseError::ParseError(std::string_view file, std::size_t line, std::string_view message)
    : Error(printable(concat(file, ":", line, ": ", message))) {}

}  // namespace colltree
