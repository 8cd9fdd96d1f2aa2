// SPDX-License-Identifier: BSD-3-Clause
#include "coll/mpich_nonblocking.h"

#include <algorithm>

#include "coll/collective.h"

namespace colltree {

namespace {

constexpr std::uint32_t parameters(std::string_view segment, std::string_view radix,
                                   std::string_view requests) {
  return (segment.empty() ? 0U : kSegmentSize) | (radix.empty() ? 0U : kRadix) |
         (requests.empty() ? 0U : kRequests);
}

constexpr NonblockingAlgorithm kRows[] = {
#define COLLTREE_MPICH_NONBLOCKING(collective, since, algorithm, needs, segment, radix, requests, \
                                   start)                                                         \
  {{Library::kMpich, collective_of::collective, 0, since, algorithm, algorithm,                   \
    parameters(segment, radix, requests), needs, 0},                                              \
   segment,                                                                                       \
   radix,                                                                                         \
   requests,                                                                                      \
   start},
#include "coll/mpich_nonblocking.def"
#undef COLLTREE_MPICH_NONBLOCKING
};

}  // namespace

std::span<const NonblockingAlgorithm> mpich_nonblocking() { return kRows; }

std::string_view variable_name(const NonblockingAlgorithm& one) {
  constexpr std::string_view kPrefix = "nb_";
  std::string_view name = one.algorithm.algorithm;
  name.remove_prefix(kPrefix.size());
  // A tree of another type is the same algorithm.
  const std::string_view type = one.start.substr(one.start.find('=') + 1);
  if (!type.empty()) name.remove_suffix(type.size() + 1);
  return name;
}

const NonblockingAlgorithm* find_nonblocking(Collective collective, std::string_view algorithm) {
  const std::string_view bare = algorithm.substr(0, algorithm.find('@'));
  const auto* found = std::ranges::find_if(kRows, [&](const NonblockingAlgorithm& one) {
    return one.algorithm.collective == collective && one.algorithm.algorithm == bare;
  });
  return found == std::end(kRows) ? nullptr : found;
}

std::uint64_t least_radix(const NonblockingAlgorithm& one) {
  return one.segment.empty() || !one.start.empty() ? 2 : 1;
}

}  // namespace colltree
