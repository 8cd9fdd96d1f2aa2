// SPDX-License-Identifier: BSD-3-Clause
#include "protocol/method_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace colltree::protocol {
namespace {

using testing::ElementsAre;
using testing::Pair;

PlanCell cell(Collective collective, std::string_view name, std::uint64_t segment_size = 0) {
  return {{collective, 4, 65536}, parse_method_name(name, segment_size)};
}

Settings openmpi(Collective collective, std::string_view name, std::uint64_t segment_size = 0) {
  const PlanCell one = cell(collective, name, segment_size);
  const auto* algorithm = find_algorithm(Library::kOpenmpi, collective, one.method.algorithm);
  return openmpi_settings(*algorithm, algorithm->id, one);
}

TEST(MethodSettings, OpenmpiForcesTheAlgorithmWithItsParameters) {
  EXPECT_THAT(openmpi(Collective::kBcast, "chain@fanout=2", 1024),
              ElementsAre(Pair("coll_tuned_bcast_algorithm", 2),
                          Pair("coll_tuned_bcast_algorithm_segmentsize", 1024),
                          Pair("coll_tuned_bcast_algorithm_chain_fanout", 2)));
  EXPECT_THAT(openmpi(Collective::kBcast, "knomial@radix=8"),
              ElementsAre(Pair("coll_tuned_bcast_algorithm", 7),
                          Pair("coll_tuned_bcast_algorithm_segmentsize", 0),
                          Pair("coll_tuned_bcast_algorithm_knomial_radix", 8)))
      << "no segments are said too: the library may have a size of its own";
  EXPECT_THAT(openmpi(Collective::kAlltoall, "linear_sync@requests=16"),
              ElementsAre(Pair("coll_tuned_alltoall_algorithm", 4),
                          Pair("coll_tuned_alltoall_algorithm_max_requests", 16)));
}

TEST(MethodSettings, OpenmpiAlgorithmsWithoutSegmentsGetNone) {
  EXPECT_THAT(openmpi(Collective::kBcast, "basic_linear", 1024),
              ElementsAre(Pair("coll_tuned_bcast_algorithm", 1)));
}

TEST(MethodSettings, HanIsTakenByItsOwnVariablesAndPassedByForOthers) {
  EXPECT_THAT(
      openmpi(Collective::kBcast, "han_intra", 16384),
      ElementsAre(Pair("coll_han_use_bcast_algorithm", 1), Pair("coll_han_bcast_segsize", 16384)));
  EXPECT_THAT(openmpi(Collective::kGather, "han_simple"),
              ElementsAre(Pair("coll_han_use_gather_algorithm", 2)));
  EXPECT_EQ(openmpi(Collective::kBarrier, "tuned"), settings_below_han(Collective::kBarrier));
  EXPECT_THAT(settings_below_han(Collective::kBarrier),
              ElementsAre(Pair("coll_han_barrier_dynamic_global_communicator_module", 3)));
}

TEST(MethodSettings, MpichGivesItsAlgorithmsRadixAndSegment) {
  EXPECT_THAT(mpich_settings(5, cell(Collective::kAllreduce, "tree@radix=4", 8192)),
              ElementsAre(Pair("MPIR_CVAR_ALLREDUCE_TREE_KVAL", 4),
                          Pair("MPIR_CVAR_ALLREDUCE_TREE_PIPELINE_CHUNK_SIZE", 8192),
                          Pair("MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", 5)));
  EXPECT_THAT(mpich_settings(2, cell(Collective::kAllgather, "k_brucks")),
              ElementsAre(Pair("MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM", 2)))
      << "the library's own radix";
  const Method chain = parse_method_name("k_brucks@radix=1");
  EXPECT_EQ(
      unfit_radix(*find_algorithm(Library::kMpich, Collective::kAllgather, "k_brucks"), chain),
      "needs a radix of 2");
}

// A radix without a variable would be a label of what did not run.
TEST(MethodSettings, EveryRadixOfMpichHasAVariable) {
  for (const LibraryAlgorithm& one : mpich_algorithms()) {
    if ((one.parameters & kRadix) == 0) continue;
    const std::string name = std::string(one.algorithm) + "@radix=3";
    EXPECT_GE(mpich_settings(1, cell(one.collective, name)).size(), 2U)
        << colltree::name(one.collective) << ' ' << name;
  }
}

TEST(MethodSettings, MpichForcesANumberThatItTold) {
  EXPECT_THAT(mpich_settings(3, cell(Collective::kReduceScatterBlock, "pairwise")),
              ElementsAre(Pair("MPIR_CVAR_REDUCE_SCATTER_BLOCK_INTRA_ALGORITHM", 3)));
  EXPECT_THAT(mpich_settings(5, cell(Collective::kAlltoall, "scattered@requests=8")),
              ElementsAre(Pair("MPIR_CVAR_ALLTOALL_THROTTLE", 8),
                          Pair("MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM", 5)));
}

TEST(MethodSettings, MpichRunsANonblockingAlgorithmBelowNb) {
  const NonblockingAlgorithm& tree = *find_nonblocking(Collective::kBcast, "nb_tsp_tree");
  EXPECT_THAT(mpich_settings(tree, 6, 2, cell(Collective::kBcast, "nb_tsp_tree@radix=4", 1024)),
              ElementsAre(Pair("MPIR_CVAR_IBCAST_INTRA_ALGORITHM", 6),
                          Pair("MPIR_CVAR_IBCAST_TREE_PIPELINE_CHUNK_SIZE", 1024),
                          Pair("MPIR_CVAR_IBCAST_TREE_KVAL", 4),
                          Pair("MPIR_CVAR_BCAST_INTRA_ALGORITHM", 2)));
}

TEST(MethodSettings, ARadixThatHangsIsUnfit) {
  const auto unfit = [](Collective collective, std::string_view name) {
    const Method method = parse_method_name(name);
    return unfit_radix(*find_nonblocking(collective, method.algorithm), method);
  };
  EXPECT_EQ(unfit(Collective::kBcast, "nb_tsp_tree@radix=1"), "");
  EXPECT_EQ(unfit(Collective::kGather, "nb_tsp_tree@radix=1"), "needs a radix of 2");
  EXPECT_EQ(unfit(Collective::kGather, "nb_tsp_tree@radix=2"), "");
  EXPECT_EQ(unfit(Collective::kGather, "nb_tsp_tree"), "") << "the library's own";
}

TEST(MethodSettings, NeedsThatTheSizeMeets) {
  const auto unmet = [](std::uint32_t needs, std::uint64_t ranks, std::uint64_t count) {
    return unmet_needs(needs, {Collective::kReduceScatter, ranks, count, {}}, count);
  };
  EXPECT_EQ(unmet(kPowerOfTwo | kEvenRanks, 6, 1), kPowerOfTwo);
  EXPECT_EQ(unmet(kPowerOfTwo | kEvenRanks, 8, 1), 0U);
  EXPECT_EQ(unmet(kRegularBlocks, 4, 10), kRegularBlocks);
  EXPECT_EQ(unmet(kRegularBlocks, 4, 12), 0U);
  EXPECT_EQ(unmet(kCountAtLeastRanks, 4, 3), kCountAtLeastRanks);
  EXPECT_EQ(unmet(kCommutative | kBuiltInOperation | kNotInPlace, 3, 1), 0U) << "ours are so";
  EXPECT_EQ(unmet(kInPlace | kHierarchy, 4, 4), kInPlace | kHierarchy) << "not for a size to say";
}

}  // namespace
}  // namespace colltree::protocol
