// SPDX-License-Identifier: BSD-3-Clause
// For fuzzing: everything that a hostile file could make the library do.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "colltree/decision.h"
#include "runtime/cdt_format.h"

namespace colltree::cdt {

// Loads the bytes and, when they are accepted, asks all that can be asked. Aborts when an answer
// lies outside the method table. Returns whether they were accepted.
inline bool try_everything(const unsigned char* bytes, std::size_t size) {
  char text[512];
  colltree_decision* decision = colltree_decision_use(bytes, size, text, sizeof text);
  if (decision == nullptr) return false;
  const auto methods = static_cast<int>(colltree_decision_methods(decision));
  constexpr std::uint64_t kValues[] = {
      0, 1, 2, 3, 17, 1024, 123456789, std::uint64_t{1} << 40, 1ULL << 63, UINT64_MAX};
  for (int collective = -1; collective < 20; ++collective) {
    for (const std::uint64_t ranks : kValues) {
      for (const std::uint64_t message : kValues) {
        const colltree_instance at = {ranks, message, message, ranks};
        const int method = colltree_decide(decision, collective, &at);
        if (method >= methods || method < -1) std::abort();
        if (method == -1) continue;
        if (std::strlen(colltree_decision_method(decision, method).algorithm) > size) std::abort();
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
