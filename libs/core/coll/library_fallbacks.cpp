// SPDX-License-Identifier: BSD-3-Clause
#include "coll/library_fallbacks.h"

#include <bit>

#include "coll/library_algorithms.h"

namespace colltree {

namespace {

struct Call {
  std::uint64_t ranks;
  std::uint64_t count;  // of elements
  std::uint64_t element_bytes;
  std::uint64_t segment_size;
};

bool power_of_two(const Call& call) { return std::has_single_bit(call.ranks); }
bool even(const Call& call) { return call.ranks % 2 == 0; }
bool two(const Call& call) { return call.ranks == 2; }
bool elements(const Call& call) { return call.count >= call.ranks; }
bool elements_of_core(const Call& call) { return call.count >= std::bit_floor(call.ranks); }

// COLL_BASE_COMPUTED_SEGCOUNT: a segment size that cuts nothing is one segment.
bool segment_for_each_rank(const Call& call) {
  std::uint64_t segment = call.count;
  const bool cuts = call.segment_size >= call.element_bytes &&
                    call.segment_size < call.element_bytes * call.count;
  if (cuts) {
    segment = call.segment_size / call.element_bytes;
    if (call.segment_size % call.element_bytes > call.element_bytes / 2) ++segment;
  }
  return call.count / call.ranks >= segment;
}

bool segment_in_each_half(const Call& call) {
  const std::uint64_t half = call.count / 2 * call.element_bytes;
  return half > 0 && call.segment_size <= half;
}

struct Row {
  Collective collective;
  std::string_view algorithm;
  bool (*is_met)(const Call& call);
  std::string_view need;
  std::string_view runs;  // "" = MPI_ERR_UNSUPPORTED_OPERATION
  int until = kStillThere;
};

constexpr std::string_view kTwoRanksOnly = "two ranks";
constexpr std::string_view kElements = "as many elements as ranks";
constexpr std::string_view kElementsOfCore =
    "as many elements as ranks, rounded down to a power of two";

// coll_base_*.c of Open MPI 4.1.4, 4.1.8, 5.0.7, 5.0.10 and main.
constexpr Row kOpenmpi[] = {
    {Collective::kAllgather, "recursive_doubling", power_of_two, "a power of two of ranks",
     "bruck"},
    {Collective::kAllgather, "neighbor", even, "an even number of ranks", "ring"},
    {Collective::kAllgather, "two_proc", two, kTwoRanksOnly, ""},
    {Collective::kAllgatherv, "neighbor", even, "an even number of ranks", "ring"},
    {Collective::kAllgatherv, "two_proc", two, kTwoRanksOnly, ""},
    {Collective::kAlltoall, "two_proc", two, kTwoRanksOnly, ""},
    {Collective::kBarrier, "two_proc", two, kTwoRanksOnly, ""},
    {Collective::kAllreduce, "segmented_ring", segment_for_each_rank,
     "a segment of the message for each rank", "ring"},
    {Collective::kAllreduce, "ring", elements, kElements, "recursive_doubling"},
    {Collective::kAllreduce, "rabenseifner", elements_of_core, kElementsOfCore, "basic_linear", 50},
    {Collective::kBcast, "split_binary", segment_in_each_half, "a segment in each half", "chain"},
    {Collective::kBcast, "scatter_allgather", elements, kElements, "basic_linear"},
    {Collective::kBcast, "scatter_allgather_ring", elements, kElements, "basic_linear"},
    {Collective::kReduce, "rabenseifner", elements_of_core, kElementsOfCore, "linear"},
};

}  // namespace

std::vector<Fallback> fallbacks_of(Library library, int version, const Instance& instance,
                                   Method method, std::uint64_t element_bytes) {
  std::vector<Fallback> steps;
  if (library != Library::kOpenmpi || instance.communicator_size < 2) return steps;
  for (const Row& row : kOpenmpi) {
    if (row.collective != instance.collective || row.algorithm != method.algorithm ||
        row.until < version)
      continue;
    const Call call{instance.communicator_size, instance.message_size / element_bytes,
                    element_bytes, method.segment_size.value_or(0)};
    // A call without elements returns before any algorithm.
    const bool is_empty =
        call.count == 0 && message_unit(instance.collective) != MessageUnit::kNone;
    if (is_empty || row.is_met(call)) continue;
    steps.push_back({row.algorithm, row.need, std::nullopt});
    if (row.runs.empty()) break;
    // Split_binary hands its segments on to one chain; the others take none.
    method = row.runs == "chain" ? Method{"chain", method.segment_size, {.fanout = 1}}
                                 : Method{std::string(row.runs), std::nullopt};
    steps.back().runs = method;
  }
  return steps;
}

}  // namespace colltree
