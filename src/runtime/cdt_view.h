// SPDX-License-Identifier: BSD-3-Clause
// A checked compact decision file, ready to decide: pointers into its bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/cdt_format.h"

namespace colltree::cdt {

inline constexpr std::size_t kCollectives = 16;

struct AxisView {
  const unsigned char* thresholds;
  const unsigned char* buckets;
  std::uint32_t attribute;
  std::uint32_t mantissa;
  std::uint32_t last_bucket;
  std::uint32_t probes;
  std::uint32_t size;  // intervals: thresholds + 1
};

struct RootView {
  Form form = kNone;
  bool two_sizes = false;  // looks at communicator and message size only: the fast path
  std::uint32_t root = 0;  // tree
  const unsigned char* nodes = nullptr;
  std::uint32_t node_count = 0;
  std::uint32_t axis_count = 0;  // table
  std::uint32_t cell_bytes = 1;
  AxisView axes[kMostAxes];
  const unsigned char* cells = nullptr;
};

struct View {
  const unsigned char* bytes = nullptr;
  std::uint32_t size = 0;
  std::uint32_t method_count = 0;
  const unsigned char* methods = nullptr;
  const char* strings = nullptr;
  const char* description = nullptr;
  const char* provenance = nullptr;  // these three as in colltree_origin
  const char* algorithms = nullptr;
  const char* mpi = nullptr;
  RootView roots[kCollectives];  // by colltree::Collective
};

// Checks every byte that deciding may ever read. Returns nullptr, or what is wrong (static text).
const char* check(const void* bytes, std::size_t size, View& view) noexcept;

}  // namespace colltree::cdt
