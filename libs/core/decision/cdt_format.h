// SPDX-License-Identifier: BSD-3-Clause
// The compact decision file, byte by byte (docs/reference/formats/cdt.md): what the writer
// (emit/cdt.cpp) and the reader share. Little-endian on every machine; nothing here needs
// alignment.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace colltree::cdt {

// The bytes are chosen like those of PNG: a transfer as text, or of 7 bits, breaks them.
inline constexpr unsigned char kMagic[8] = {0x89, 'C', 'D', 'T', '\r', '\n', 0x1a, '\n'};
inline constexpr std::uint32_t kVersion = 1;

inline constexpr std::uint32_t kHeaderBytes = 64;
inline constexpr std::uint32_t kAtVersion = 8;
inline constexpr std::uint32_t kAtFileSize = 12;
inline constexpr std::uint32_t kAtChecksum = 16;  // of all bytes from kCheckedFrom on
inline constexpr std::uint32_t kCheckedFrom = 24;
inline constexpr std::uint32_t kAtMethodCount = 24;
inline constexpr std::uint32_t kAtMethods = 28;
inline constexpr std::uint32_t kAtRootCount = 32;
inline constexpr std::uint32_t kAtRoots = 36;
inline constexpr std::uint32_t kAtStrings = 40;
inline constexpr std::uint32_t kAtStringsSize = 44;
// Offsets in strings: what the file is, and where its decisions come from (colltree_origin).
inline constexpr std::uint32_t kAtDescription = 48;
inline constexpr std::uint32_t kAtProvenance = 52;
inline constexpr std::uint32_t kAtAlgorithms = 56;
inline constexpr std::uint32_t kAtMpi = 60;

inline constexpr const char* kPortable = "portable";  // colltree_origin::algorithms: our own

inline constexpr std::uint32_t kMethodBytes = 16;             // u64 segment size, u32 name, u32 0
inline constexpr std::uint64_t kRuledByLibrary = UINT64_MAX;  // in the place of a segment size
inline constexpr std::uint32_t kRootBytes = 16;  // u32 collective, u32 form, u32 offset, u32 size
inline constexpr std::uint32_t kMostMethods = 0x7FFF;
inline constexpr std::uint32_t kMostNodes = 0x7FFF;
inline constexpr std::uint32_t kMostAxes = 6;
inline constexpr std::uint32_t kAttributes = 6;  // numbered as colltree::Attribute

enum Form : std::uint32_t { kNone = 0, kTree = 1, kTable = 2 };

// Tree: u32 inner nodes, u32 root reference, then the nodes.
// Node: u16 low, u16 high, u64 threshold * 8 + attribute. A reference is a node that comes later,
// or a method with the leaf bit.
inline constexpr std::uint32_t kNodeBytes = 12;
inline constexpr std::uint32_t kLeafBit = 0x8000;
// Values are cut to kMostValue before they are compared, so a threshold below it is exact.
inline constexpr std::uint64_t kMostValue = (std::uint64_t{1} << 56) - 1;

// Table: u32 axes, u32 bytes of a cell (1 or 2), u32 cells, u32 0; the axes; then for each axis its
// thresholds (u64, ascending, then `probes` times 2^64 - 1) and its buckets (u16, padded with 0 to
// a multiple of 8 bytes); then the cells, the last axis fastest.
// Axis: u32 attribute, u32 mantissa bits, u32 buckets, u32 thresholds, u32 probes, u32 0.
inline constexpr std::uint32_t kMostMantissa = 8;
inline constexpr std::uint32_t kMostBuckets = 1 << 14;
inline constexpr std::uint32_t kMostThresholds = 1 << 15;

template <typename Integer>
Integer load(const unsigned char* field) {
  Integer value;
  std::memcpy(&value, field, sizeof value);
  if constexpr (std::endian::native == std::endian::big) {
    unsigned char bytes[sizeof value];
    for (std::size_t i = 0; i < sizeof value; ++i) bytes[i] = field[sizeof value - 1 - i];
    std::memcpy(&value, bytes, sizeof value);
  }
  return value;
}

// The bytes of the control character that begins at `character`, 0 when there is none: C0, DEL and,
// in UTF-8, C1. A writer replaces them and a reader refuses them, because texts are printed as they
// are. The text around it ends with 0.
inline std::uint32_t control_bytes(const unsigned char* character) {
  if ((*character != 0 && *character < ' ') || *character == 0x7F) return 1;
  return *character == 0xC2 && character[1] >= 0x80 && character[1] <= 0x9F ? 2 : 0;
}

// FNV-1a over 64 bits: finds accidents; structure is checked regardless.
inline std::uint64_t checksum(const unsigned char* bytes, std::size_t size) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3U;
  return hash;
}

// Which bucket a value falls into: its power of two and the next `mantissa` bits; values below
// 2^mantissa have their own. The last bucket holds all that is beyond.
inline std::uint32_t bucket_of(std::uint64_t value, std::uint32_t mantissa) {
  // Small values take the exponent of 2^mantissa: no branch for them, so none to mispredict.
  const std::uint64_t raised = value | (std::uint64_t{1} << mantissa);
  const auto exponent = static_cast<std::uint32_t>(63 - std::countl_zero(raised));
  const std::uint32_t shift = exponent - mantissa;
  return (shift << mantissa) + static_cast<std::uint32_t>(value >> shift);
}

// The least value of a bucket: the inverse of bucket_of.
inline std::uint64_t bucket_begin(std::uint32_t bucket, std::uint32_t mantissa) {
  const std::uint32_t single_values = std::uint32_t{2} << mantissa;  // buckets of a single value
  if (bucket < single_values) return bucket;
  const std::uint32_t shift = (bucket >> mantissa) - 1;
  return std::uint64_t{bucket - (shift << mantissa)} << shift;
}
// How many buckets 64 bits fill.
inline std::uint32_t all_buckets(std::uint32_t mantissa) {
  return bucket_of(UINT64_MAX, mantissa) + 1;
}

// A checked compact decision file, ready to decide: pointers into its bytes.

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
