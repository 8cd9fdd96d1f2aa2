// SPDX-License-Identifier: BSD-3-Clause
#include "coll/library_fallbacks.h"

#include <gtest/gtest.h>

#include "coll/library_algorithms.h"

namespace colltree {

namespace {

struct Asked {
  Instance at;
  Method method;
  std::uint64_t element_bytes;
  std::string runs;  // "" = itself
  int version = 41;
};

std::string what_runs(const Asked& asked) {
  const auto steps =
      fallbacks_of(Library::kOpenmpi, asked.version, asked.at, asked.method, asked.element_bytes);
  if (steps.empty()) return "";
  return steps.back().runs ? steps.back().runs->label() : "fails";
}

TEST(Fallbacks, OfOpenmpi) {
  const Instance allreduce{Collective::kAllreduce, 65536, 32768};
  const Instance bcast{Collective::kBcast, 8, 7};
  const Asked kAsked[] = {
      {allreduce, {"rabenseifner", std::nullopt}, 1, "basic_linear"},
      {allreduce, {"rabenseifner", std::nullopt}, 1, "", 60},
      // 5 ranks are 4 and one that stands aside.
      {{Collective::kAllreduce, 5, 4}, {"rabenseifner", std::nullopt}, 1, ""},
      {{Collective::kAllreduce, 5, 4}, {"rabenseifner", std::nullopt}, 2, "basic_linear"},
      {{Collective::kAllreduce, 5, 4}, {"ring", std::nullopt}, 1, "recursive_doubling"},
      {{Collective::kAllreduce, 4, 0}, {"ring", std::nullopt}, 1, ""},
      {allreduce, {"segmented_ring", 1024}, 1, "recursive_doubling"},
      {{Collective::kAllreduce, 4, 4096}, {"segmented_ring", 1024}, 8, ""},
      {{Collective::kAllreduce, 4, 4095}, {"segmented_ring", 1024}, 1, "ring"},
      {{Collective::kAllreduce, 4, 1 << 20}, {"segmented_ring", 0}, 1, "ring"},
      {bcast, {"scatter_allgather", std::nullopt}, 1, "basic_linear"},
      {bcast, {"scatter_allgather_ring", std::nullopt}, 1, "basic_linear"},
      {{Collective::kBcast, 8, 8}, {"scatter_allgather", std::nullopt}, 1, ""},
      {{Collective::kBcast, 8, 4096}, {"split_binary", 2048}, 4, ""},
      {{Collective::kBcast, 8, 4096}, {"split_binary", 2049}, 4, "Chain@fanout=1_2049B"},
      {{Collective::kBcast, 8, 1}, {"split_binary", 0}, 1, "Chain@fanout=1_0K"},
      {{Collective::kReduce, 8, 7}, {"rabenseifner", std::nullopt}, 1, "linear"},
      {{Collective::kAllgather, 6, 64}, {"recursive_doubling", std::nullopt}, 1, "bruck"},
      {{Collective::kAllgather, 5, 64}, {"neighbor", std::nullopt}, 1, "ring"},
      {{Collective::kAllgatherv, 5, 64}, {"neighbor", std::nullopt}, 1, "ring"},
      {{Collective::kAllgather, 4, 64}, {"two_proc", std::nullopt}, 1, "fails"},
      {{Collective::kBarrier, 4, 0}, {"two_proc", std::nullopt}, 1, "fails"},
      {{Collective::kBarrier, 2, 0}, {"two_proc", std::nullopt}, 1, ""},
  };
  for (const Asked& asked : kAsked)
    EXPECT_EQ(what_runs(asked), asked.runs)
        << asked.method.label() << " of " << asked.element_bytes << " bytes on "
        << asked.at.communicator_size << " ranks";
}

// Whatever the table of algorithms says that it needs of ranks and elements has a row here.
TEST(Fallbacks, EveryNeedOfOpenmpiIsKnown) {
  constexpr std::uint32_t kSizes =
      kPowerOfTwo | kEvenRanks | kTwoRanks | kCountAtLeastRanks | kCountAtLeastPowerOfTwo;
  for (const LibraryAlgorithm& one : openmpi_algorithms()) {
    const Instance at{one.collective, 7, 1};
    const auto steps =
        fallbacks_of(Library::kOpenmpi, 41, at, {std::string(one.algorithm), std::nullopt}, 1);
    EXPECT_TRUE((one.needs & kSizes) == 0 || !steps.empty()) << one.algorithm;
    for (const Fallback& step : steps)
      EXPECT_TRUE(!step.runs || find_algorithm(Library::kOpenmpi, one.collective,
                                               step.runs->algorithm) != nullptr)
          << one.algorithm;
  }
}

}  // namespace

}  // namespace colltree
