// SPDX-License-Identifier: BSD-3-Clause
// How the values of one axis of a table find their interval without a search: a bucket (the value's
// power of two and next bits, runtime/cdt_format.h) says where to start, a few probes finish.
#pragma once

#include <cstdint>
#include <vector>

namespace colltree {

struct Buckets {
  std::uint32_t mantissa = 0;
  std::uint32_t probes = 0;
  std::vector<std::uint16_t> start;  // by bucket: how many thresholds lie below it
};

// The fewest probes with at most 160 buckets; among equals the fewest buckets. Buckets cost memory,
// a probe costs time. At most 2^15 thresholds.
Buckets best_buckets(const std::vector<std::uint64_t>& thresholds);

}  // namespace colltree
