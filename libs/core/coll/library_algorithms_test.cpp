// SPDX-License-Identifier: BSD-3-Clause
#include "coll/library_algorithms.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/error.h"
#include "base/test_scratch.h"
#include "coll/catalogue.h"
#include "coll/library_methods.h"

namespace colltree {

namespace {

TEST(LibraryAlgorithms, NamesAndNumbersAreUnique) {
  for (const LibraryInfo& row : libraries()) {
    const Library library = row.library;
    std::set<std::tuple<Collective, int>> ids;
    std::set<std::tuple<Collective, std::string_view>> names;
    for (const LibraryAlgorithm& one : algorithms_of(library)) {
      EXPECT_TRUE(ids.insert({one.collective, one.id}).second) << one.algorithm;
      EXPECT_TRUE(names.insert({one.collective, one.algorithm}).second) << one.algorithm;
      EXPECT_EQ(find_algorithm(library, one.collective, one.algorithm), &one);
      if (!one.library_name.empty()) {
        EXPECT_EQ(find_algorithm(library, one.collective, one.library_name),
                  one.library_name == "default" ? nullptr : &one);
      }
      EXPECT_EQ(find_algorithm(library, one.collective, one.id), &one);
    }
  }
}

// As many as ompi_info of 4.1.4 and 5.0.7 and the CVARs of 4.0.2 and 4.2.1 list (without 0) for
// these 14 collectives, and what coll/han of 5.0.7 does with seven of them.
TEST(LibraryAlgorithms, CountsOfTheInstalledVersions) {
  const auto count = [](Library library, int version) {
    return std::ranges::count_if(algorithms_of(library), [version](const LibraryAlgorithm& one) {
      return is_in(one, version);
    });
  };
  EXPECT_EQ(count(Library::kOpenmpi, 41), 64);
  EXPECT_EQ(count(Library::kOpenmpi, 50), 66 + 20);
  EXPECT_EQ(count(Library::kMpich, 40), 51);
  EXPECT_EQ(count(Library::kMpich, 42), 62);
  EXPECT_EQ(algorithms_of(Library::kIntel).size(), 150U);
}

TEST(LibraryAlgorithms, IntelsPresetsHaveOurNamesOrTheirNumbers) {
  const auto id = [](Collective collective, std::string_view algorithm) {
    const LibraryAlgorithm* found = find_algorithm(Library::kIntel, collective, algorithm);
    return found == nullptr ? 0 : found->id;
  };
  EXPECT_EQ(id(Collective::kReduce, "rabenseifner"), 5);
  EXPECT_EQ(id(Collective::kReduce, "reduce_scatter_gather"), 5);
  EXPECT_EQ(id(Collective::kReduce, "preset_19"), 19);
  EXPECT_EQ(id(Collective::kReduce, "preset_20"), 0);
  EXPECT_EQ(id(Collective::kReduce, "7"), 7);
  EXPECT_EQ(id(Collective::kAlltoall, "ring"), 3) << "MPI libraries mean pairwise by it";
  EXPECT_EQ(id(Collective::kAllgather, "ring"), 3);
  EXPECT_EQ(id(Collective::kBarrier, "bruck"), 1);
  EXPECT_EQ(id(Collective::kScan, "linear"), 0);
}

TEST(LibraryAlgorithms, ASelectionFileGivesParametersBelowTheName) {
  const LibraryAlgorithm* barrier =
      find_algorithm(Library::kMpich, Collective::kBarrier, "k_dissemination");
  EXPECT_EQ(barrier->library_name, "MPIR_Barrier_intra_k_dissemination");
  EXPECT_EQ(barrier->below, "k=2");
  EXPECT_EQ(find_algorithm(Library::kMpich, Collective::kBcast, "binomial")->below, "");
}

int openmpi_id(Collective collective, std::string_view algorithm) {
  const LibraryAlgorithm* found = find_algorithm(Library::kOpenmpi, collective, algorithm);
  return found == nullptr ? -1 : found->id;
}

TEST(LibraryAlgorithms, NamesOfProfilesAreFound) {
  EXPECT_EQ(openmpi_id(Collective::kBcast, "basic_linear"), 1);
  EXPECT_EQ(openmpi_id(Collective::kBcast, "chain@fanout=4"), 2);
  EXPECT_EQ(openmpi_id(Collective::kBcast, "ompi:split_binary"), 4);
  EXPECT_EQ(openmpi_id(Collective::kBcast, "binary_tree"), 5);
  EXPECT_EQ(openmpi_id(Collective::kGather, "ompi:linear_synch"), 3);
  EXPECT_EQ(openmpi_id(Collective::kGather, "ompi:linear"), 1);
  EXPECT_EQ(openmpi_id(Collective::kReduce, "ompi:in_order"), 6);
  EXPECT_EQ(openmpi_id(Collective::kReduce, "linear"), 1);
  EXPECT_EQ(openmpi_id(Collective::kReduceScatter, "non-overlapping"), 1);
  EXPECT_EQ(openmpi_id(Collective::kAllgatherv, "default"), -1);
  EXPECT_EQ(openmpi_id(Collective::kBcast, "ext:bine_lat"), -1);
}

std::string refusal(const char* name) {
  return error_of([&] { check_parameters(parse_method_name(name)); });
}

TEST(LibraryAlgorithms, RefuseParametersThatTheyDoNotKnow) {
  for (const char* good :
       {"linear", "ompi:chain@fanout=4@requests=2", "x@y:chain", "x@y:chain@radix=2"})
    EXPECT_EQ(refusal(good), "no error");
  for (const char* bad : {"fan=4", "fanout", "fanout=", "fanout=0", ""}) {
    EXPECT_EQ(refusal(fmt::format("chain@{}@radix=2", bad).c_str()),
              fmt::format("method 'chain@{0}@radix=2': '@{0}' is no parameter; known are "
                          "@fanout=N, @radix=N, @requests=N, @up_module=N, @low_module=N",
                          bad));
  }
  EXPECT_EQ(refusal("chain@radix=2@fanout=4"),
            "method 'chain@radix=2@fanout=4': write its parameters once each and in this order: "
            "@fanout=N@radix=N@requests=N@up_module=N@low_module=N");
}

TEST(LibraryAlgorithms, WhereTheyAreThemselves) {
  const auto can = [](Collective collective, const char* algorithm, std::uint64_t ranks,
                      std::uint64_t count) {
    const std::uint32_t needs = find_algorithm(Library::kOpenmpi, collective, algorithm)->needs;
    constexpr std::uint32_t kAnswered =
        kPowerOfTwo | kEvenRanks | kTwoRanks | kCountAtLeastRanks | kCountAtLeastPowerOfTwo;
    return (needs & kAnswered & ~size_facts(ranks, count)) == 0;
  };
  EXPECT_TRUE(can(Collective::kAllgather, "two_proc", 2, 0));
  EXPECT_FALSE(can(Collective::kAllgather, "two_proc", 3, 0));
  EXPECT_FALSE(can(Collective::kAllgather, "neighbor", 5, 0));
  EXPECT_FALSE(can(Collective::kAllgather, "recursive_doubling", 6, 0));
  EXPECT_FALSE(can(Collective::kAllreduce, "ring", 8, 7));
  EXPECT_TRUE(can(Collective::kAllreduce, "ring", 8, 8));
  EXPECT_TRUE(can(Collective::kReduce, "rabenseifner", 7, 4));
  EXPECT_FALSE(can(Collective::kReduce, "rabenseifner", 7, 3));
}

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
  EXPECT_EQ(start_setting(Library::kIntel, Collective::kReduceScatter, {"pairwise", {}}),
            "I_MPI_ADJUST_REDUCE_SCATTER=2");
  EXPECT_EQ(start_setting(Library::kIntel, Collective::kReduce, {"unknown_20", {}}),
            "I_MPI_ADJUST_REDUCE=20");
  EXPECT_EQ(start_setting(Library::kIntel, Collective::kReduce, library_default()), "");
  EXPECT_EQ(start_setting(Library::kOpenmpi, Collective::kReduce, {"nb_tsp_tree_knomial_1", 0}),
            "");
}

}  // namespace

}  // namespace colltree
