// SPDX-License-Identifier: BSD-3-Clause
#include "base/printable.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

namespace colltree {

namespace {

struct Sequence {
  std::size_t bytes = 1;
  std::uint32_t character = 0;
  bool valid = false;
};

std::uint8_t byte_at(std::string_view text, std::size_t at) {
  return static_cast<std::uint8_t>(text[at]);
}

struct Lead {
  std::uint8_t mask, bits;
  std::size_t bytes;
  std::uint32_t least;  // a smaller character would have a shorter form
};
constexpr std::array<Lead, 4> kLeads = {
    {{0x80, 0x00, 1, 0}, {0xE0, 0xC0, 2, 0x80}, {0xF0, 0xE0, 3, 0x800}, {0xF8, 0xF0, 4, 0x10000}}};

// The character that begins at `at` (RFC 3629).
Sequence sequence_at(std::string_view text, std::size_t at) {
  const std::uint8_t first = byte_at(text, at);
  for (const Lead& lead : kLeads) {
    if ((first & lead.mask) != lead.bits) continue;
    if (at + lead.bytes > text.size()) return {};
    Sequence found{lead.bytes, static_cast<std::uint32_t>(first & ~lead.mask), true};
    for (std::size_t i = 1; i < lead.bytes; ++i) {
      const std::uint8_t next = byte_at(text, at + i);
      if ((next & 0xC0) != 0x80) return {};
      found.character = found.character << 6 | (next & 0x3F);
    }
    const bool surrogate = found.character >= 0xD800 && found.character <= 0xDFFF;
    if (found.character < lead.least || found.character > 0x10FFFF || surrogate) return {};
    return found;
  }
  return {};
}

struct Range {
  std::uint32_t first, last;
};
constexpr std::array<Range, 6> kControls = {{{0x00, 0x1F},
                                             {0x7F, 0x9F},
                                             {0x200E, 0x200F},
                                             {0x2028, 0x202E},
                                             {0x2066, 0x2069},
                                             {0xFEFF, 0xFEFF}}};

bool is_control(std::uint32_t character) {
  for (const Range& range : kControls) {
    if (range.first <= character && character <= range.last) return true;
  }
  return false;
}

bool is_fit(const Sequence& one) { return one.valid && !is_control(one.character); }

// The end of what begins at `at` and is fit byte by byte, as nearly all text is.
std::size_t end_of_plain(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] >= ' ' && text[at] < 0x7F) ++at;
  return at;
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (std::size_t at = end_of_plain(text, 0); at < text.size(); at = end_of_plain(text, at)) {
    const Sequence one = sequence_at(text, at);
    if (!one.valid) return false;
    at += one.bytes;
  }
  return true;
}

std::string unfit_for_line(std::string_view text) {
  for (std::size_t at = end_of_plain(text, 0); at < text.size(); at = end_of_plain(text, at)) {
    const Sequence one = sequence_at(text, at);
    if (!one.valid) return fmt::format("a byte that is not UTF-8 (0x{:02X})", byte_at(text, at));
    if (is_control(one.character))
      return fmt::format("a control character (0x{:02X})", one.character);
    at += one.bytes;
  }
  return "";
}

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t plain_end = end_of_plain(text, at);
    result.append(text, at, plain_end - at);
    at = plain_end;
    if (at == text.size()) break;
    const Sequence one = sequence_at(text, at);
    for (std::size_t i = 0; i < one.bytes; ++i) {
      if (is_fit(one)) {
        result += text[at + i];
      } else {
        result += fmt::format("\\x{:02X}", byte_at(text, at + i));
      }
    }
    at += one.bytes;
  }
  return result;
}

}  // namespace colltree
