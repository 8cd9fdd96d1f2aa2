// SPDX-License-Identifier: BSD-3-Clause
#include "coll/mpich_nonblocking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "coll/library_methods.h"

namespace colltree {
namespace {

TEST(MpichNonblocking, RowsAreDistinct) {
  std::set<std::tuple<Collective, std::string_view>> names;
  std::set<std::tuple<Collective, std::string_view, std::string_view>> settings;
  for (const NonblockingAlgorithm& one : mpich_nonblocking()) {
    const LibraryAlgorithm& algorithm = one.algorithm;
    EXPECT_TRUE(names.emplace(algorithm.collective, algorithm.algorithm).second);
    EXPECT_TRUE(settings.emplace(algorithm.collective, variable_name(one), one.start).second);
    EXPECT_TRUE(algorithm.algorithm.starts_with("nb_"));
    EXPECT_EQ(find_algorithm(Library::kMpich, algorithm.collective, algorithm.algorithm), nullptr)
        << "a selection file cannot name it";
    EXPECT_NE(find_algorithm(Library::kMpich, algorithm.collective, "nb"), nullptr);
  }
}

TEST(MpichNonblocking, ATreeOfAnotherTypeIsTheSameValueOfTheVariable) {
  const auto of = [](const char* algorithm) {
    return variable_name(*find_nonblocking(Collective::kBcast, algorithm));
  };
  EXPECT_EQ(of("nb_tsp_tree@radix=4"), "tsp_tree");
  EXPECT_EQ(of("nb_tsp_tree_knomial_2"), "tsp_tree");
  EXPECT_EQ(of("nb_sched_binomial"), "sched_binomial");
}

TEST(MpichNonblocking, MethodsAreThereWhenAskedFor) {
  const std::vector<std::uint64_t> segments = {0, 1024};
  const auto of = [&](std::string_view parameters) {
    std::vector<std::string> labels;
    for (const Method& method : library_methods(Library::kMpich, Collective::kBcast, segments,
                                                parse_parameter_values(parameters)))
      labels.push_back(method.label());
    return labels;
  };
  EXPECT_EQ(of("").size(), 8U) << "pipelined_tree with segments and without";
  EXPECT_THAT(of("radix=3,nonblocking"),
              ::testing::IsSupersetOf({"NbTspTree_0K", "NbTspTree_1K", "NbTspTree@radix=3_1K",
                                       "NbTspRing_1K", "nb_sched_binomial"}));
}

TEST(MpichNonblocking, OnlyAKaryTreeMayBeAChain) {
  const auto of = [](Collective collective, const char* algorithm) {
    return least_radix(*find_nonblocking(collective, algorithm));
  };
  EXPECT_EQ(of(Collective::kBcast, "nb_tsp_tree@radix=1"), 1U);
  EXPECT_EQ(of(Collective::kBcast, "nb_tsp_tree_knomial_1"), 2U);
  EXPECT_EQ(of(Collective::kGather, "nb_tsp_tree"), 2U) << "k-nomial";
  EXPECT_EQ(of(Collective::kAllgather, "nb_tsp_brucks"), 2U);
}

TEST(MpichNonblocking, OnlyTreesOfAnotherTypeNeedAJobOfTheirOwn) {
  const auto of = [](const char* algorithm) {
    return start_setting(Library::kMpich, Collective::kReduce, {algorithm, 1024});
  };
  EXPECT_EQ(of("nb_tsp_tree@radix=4"), "");
  EXPECT_EQ(of("nb_tsp_tree_knomial_1@radix=4"), "MPIR_CVAR_IREDUCE_TREE_TYPE=knomial_1");
  EXPECT_EQ(of("default"), "");
  EXPECT_EQ(start_setting(Library::kOpenmpi, Collective::kReduce, {"nb_tsp_tree_knomial_1", 0}),
            "");
}

}  // namespace
}  // namespace colltree
