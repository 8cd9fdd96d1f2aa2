// SPDX-License-Identifier: BSD-3-Clause
// Which methods exist, and which of them really are different at an instance.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "coll/method.h"

namespace colltree {

// A row of portable_algorithms.def.
struct AlgorithmInfo {
  Collective collective;
  std::string_view algorithm;
  bool segmented;
  std::uint64_t pieces;
  std::uint64_t min_communicator_size;
  std::uint64_t min_message_size;  // bytes
  std::string_view fallback;
};

std::span<const AlgorithmInfo> portable_algorithms();
const AlgorithmInfo* find_portable_algorithm(Collective collective, std::string_view algorithm);

// Segment sizes in bytes of the papers: 0 (none), 1, 8, 16, 32, 64, 128 KB.
std::span<const std::uint64_t> paper_segment_sizes();

// Every (algorithm, segment size) of a collective, in catalogue order: algorithm by algorithm,
// unsegmented first. The position in this list breaks ties.
std::vector<Method> portable_methods(Collective collective,
                                     std::span<const std::uint64_t> segment_sizes);

// What really runs when `method` is asked for at `instance`: a segment at least as large as the
// piece it cuts is no segmentation, an algorithm below its minimum is its fallback. Methods outside
// the portable catalogue only lose a segment that is not smaller than the message.
Method effective_method(const Method& method, const Instance& instance);

// The methods that are their own effective method here: what is worth measuring.
std::vector<Method> applicable_methods(std::span<const Method> methods, const Instance& instance);

// "Binomial_1K", "binomial" (all its segment sizes) or a comma list of both, any case; "default" is
// the library's own choice. Throws Error with the nearest name.
std::vector<Method> parse_methods(std::string_view text, Collective collective,
                                  std::span<const std::uint64_t> segment_sizes);

// Position of the method in the portable catalogue, for tie breaking; methods outside it come
// after.
std::size_t catalogue_rank(Collective collective, const Method& method);

}  // namespace colltree
