// SPDX-License-Identifier: BSD-3-Clause
// For fuzzing: everything that a hostile file could make the library do.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "colltree/decision.h"
#include "decision/cdt_format.h"

namespace colltree::cdt {

// Where an answer may change: what the file itself holds as numbers of 64 bits, as thresholds of a
// table and of a tree, and its neighbour. At most `most` of them, from all over the file.
inline std::size_t telling_values(const unsigned char* bytes, std::size_t size,
                                  std::uint64_t* values, std::size_t most) {
  const std::size_t step = 4 * (size / 4 / most + 1);
  std::size_t count = 0;
  for (std::size_t at = 0; at + 8 <= size && count + 2 < most; at += step) {
    const auto word = load<std::uint64_t>(bytes + at);
    values[count++] = word;
    values[count++] = (word >> 3) + 1;
  }
  return count;
}

// Aborts when an answer lies outside the method table. Returns whether the collective is known.
inline bool try_instance(const colltree_decision* decision, int collective, std::size_t size,
                         const colltree_instance& at) {
  const int method = colltree_decide(decision, collective, &at);
  if (method < -1 || method >= static_cast<int>(colltree_decision_methods(decision))) std::abort();
  if (method == -1) return false;
  if (std::strlen(colltree_decision_method(decision, method).algorithm) > size) std::abort();
  return true;
}

// Loads the bytes and, when they are accepted, asks all that can be asked. Aborts when an answer
// lies outside the method table. Returns whether they were accepted.
inline bool try_everything(const unsigned char* bytes, std::size_t size) {
  char text[512];
  colltree_decision* decision = colltree_decision_use(bytes, size, text, sizeof text);
  if (decision == nullptr) return false;
  constexpr std::uint64_t kEnds[] = {
      0, 1, 2, 3, 17, 1024, 123456789, std::uint64_t{1} << 40, 1ULL << 63, UINT64_MAX};
  constexpr std::size_t kMost = 48;
  std::uint64_t values[kMost];
  const std::size_t count = telling_values(bytes, size, values, kMost);
  for (int collective = -1; collective < 20; ++collective) {
    if (!try_instance(decision, collective, size, {})) continue;
    for (const std::uint64_t end : kEnds) {
      for (const std::uint64_t other : kEnds) {
        try_instance(decision, collective, size, {end, other, other, end});
      }
      for (std::size_t i = 0; i < count; ++i) {
        try_instance(decision, collective, size, {end, values[i], end, values[i]});
        try_instance(decision, collective, size, {values[i], end, values[i], end});
      }
    }
  }
  colltree_decision_describe(decision, text, sizeof text);
  colltree_decision_free(decision);
  return true;
}

// Makes the header agree with the bytes, so that the checks behind the checksum are reached.
inline void reseal(unsigned char* bytes, std::size_t size) {
  if (size < kHeaderBytes) return;
  std::memcpy(bytes, kMagic, sizeof kMagic);
  const auto put = [&](std::uint32_t at, std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) bytes[at + i] = static_cast<unsigned char>(value >> (8 * i));
  };
  put(kAtVersion, kVersion, 4);
  put(kAtFileSize, size, 4);
  put(kAtChecksum, checksum(bytes + kCheckedFrom, size - kCheckedFrom), 8);
}

}  // namespace colltree::cdt
