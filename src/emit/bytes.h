// SPDX-License-Identifier: BSD-3-Clause
// Little-endian bytes, one value after the other.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/cdt_format.h"

namespace colltree {

struct Bytes {
  std::string content;

  void u16(std::uint16_t value) { little_endian(value, 2); }
  void u32(std::uint32_t value) { little_endian(value, 4); }
  void u64(std::uint64_t value) { little_endian(value, 8); }
  void pad() { content.append((8 - content.size() % 8) % 8, '\0'); }

  // Appends the text with its final 0 unless it is there; returns its offset. Control characters,
  // which readers refuse, become '?'.
  std::uint32_t text(std::string value) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      const auto* at = reinterpret_cast<const unsigned char*>(value.c_str()) + i;
      const std::uint32_t control = *at == 0 ? 1 : cdt::control_bytes(at);
      if (control > 0) value.replace(i, control, "?");
    }
    value += '\0';
    std::size_t at = content.find(value);
    if (at == std::string::npos) {
      at = content.size();
      content += value;
    }
    return static_cast<std::uint32_t>(at);
  }

 private:
  void little_endian(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) content += static_cast<char>(value >> (8 * i));
  }
};

}  // namespace colltree
