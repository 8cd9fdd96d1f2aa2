// SPDX-License-Identifier: BSD-3-Clause
#include "coll/catalogue.h"

#include <algorithm>

#include "coll/library_methods.h"

namespace colltree {

namespace {

constexpr bool kUnsegmented = false;
constexpr bool kSegmented = true;

namespace collective_of {
constexpr Collective bcast = Collective::kBcast;
constexpr Collective reduce = Collective::kReduce;
constexpr Collective alltoall = Collective::kAlltoall;
}  // namespace collective_of

constexpr AlgorithmInfo kAlgorithms[] = {
#define COLLTREE_ALGORITHM(collective, algorithm, segments, pieces, min_comm, min_bytes, fallback) \
  {collective_of::collective, #algorithm, segments, pieces, min_comm, min_bytes, #fallback},
#include "coll/portable_algorithms.def"
#undef COLLTREE_ALGORITHM
};

constexpr std::uint64_t kPaperSegmentSizes[] = {0,        1 << 10,  8 << 10,  16 << 10,
                                                32 << 10, 64 << 10, 128 << 10};

}  // namespace

std::span<const AlgorithmInfo> portable_algorithms() { return kAlgorithms; }

const AlgorithmInfo* find_portable_algorithm(Collective collective, std::string_view algorithm) {
  const auto* found = std::ranges::find_if(kAlgorithms, [&](const AlgorithmInfo& info) {
    return info.collective == collective && info.algorithm == algorithm;
  });
  return found == std::end(kAlgorithms) ? nullptr : found;
}

std::span<const std::uint64_t> paper_segment_sizes() { return kPaperSegmentSizes; }

std::vector<Method> portable_methods(Collective collective,
                                     std::span<const std::uint64_t> segment_sizes) {
  std::vector<Method> methods;
  for (const AlgorithmInfo& info : kAlgorithms) {
    if (info.collective != collective) continue;
    methods.push_back({std::string(info.algorithm), 0});
    if (!info.segmented) continue;
    for (const std::uint64_t segment_size : segment_sizes) {
      if (segment_size != 0) methods.push_back({std::string(info.algorithm), segment_size});
    }
  }
  return methods;
}

Method effective_method(const Method& method, const Instance& instance) {
  if (!method.segment_size) return method;
  Method effective = method;
  std::uint64_t piece = instance.message_size;
  const AlgorithmInfo* info = find_portable_algorithm(instance.collective, method.algorithm);
  if (info != nullptr) {
    if (instance.communicator_size < info->min_communicator_size ||
        instance.message_size < info->min_message_size) {
      info = find_portable_algorithm(instance.collective, info->fallback);
      effective.algorithm = info->algorithm;
    }
    piece =
        instance.message_size / info->pieces + (instance.message_size % info->pieces != 0 ? 1 : 0);
    if (!info->segmented) effective.segment_size = 0;
  }
  if (*effective.segment_size >= piece) effective.segment_size = 0;
  return effective;
}

std::vector<Method> applicable_methods(std::span<const Method> methods, const Instance& instance) {
  std::vector<Method> applicable;
  for (const Method& method : methods) {
    if (effective_method(method, instance) == method) applicable.push_back(method);
  }
  return applicable;
}

std::vector<Method> parse_methods(std::string_view text, Collective collective,
                                  std::span<const std::uint64_t> segment_sizes) {
  std::vector<Method> known = portable_methods(collective, segment_sizes);
  known.push_back({kDefaultAlgorithm, std::nullopt});
  return select_methods(text, known, collective);
}

std::size_t catalogue_rank(Collective collective, const Method& method) {
  for (std::size_t i = 0; i < std::size(kAlgorithms); ++i) {
    if (kAlgorithms[i].collective == collective && kAlgorithms[i].algorithm == method.algorithm)
      return i;
  }
  return std::size(kAlgorithms);
}

}  // namespace colltree
