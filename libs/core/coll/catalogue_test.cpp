// SPDX-License-Identifier: BSD-3-Clause
#include "coll/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"

namespace colltree {

namespace {

Method effective(const char* algorithm, std::uint64_t segment_size, std::uint64_t p,
                 std::uint64_t bytes) {
  return effective_method({algorithm, segment_size}, {Collective::kBcast, p, bytes});
}

TEST(Catalogue, CountsOfThePapers) {
  EXPECT_EQ(paper_methods(Collective::kBcast, paper_segment_sizes()).size(), 29U);
  EXPECT_EQ(paper_methods(Collective::kReduce, paper_segment_sizes()).size(), 22U);
  EXPECT_EQ(paper_methods(Collective::kAlltoall, paper_segment_sizes()).size(), 3U);
  EXPECT_EQ(parse_methods("papers", Collective::kBcast, paper_segment_sizes()).size(), 30U);
}

TEST(Catalogue, FallbacksEndAtARowThatAlwaysRuns) {
  for (const AlgorithmInfo& info : portable_algorithms()) {
    const AlgorithmInfo* row = &info;
    for (int step = 0; !can_run(*row, {info.collective, 3, 0}, 0, false) && step < 5; ++step) {
      row = find_portable_algorithm(info.collective, row->fallback);
      ASSERT_NE(row, nullptr) << name(info.collective) << " " << info.algorithm;
    }
    EXPECT_TRUE(can_run(*row, {info.collective, 3, 0}, 0, false))
        << name(info.collective) << " " << info.algorithm;
  }
}

// No call has them, but models can be asked.
TEST(Catalogue, SizesThatNoCallHasEndToo) {
  for (const AlgorithmInfo& info : portable_algorithms()) {
    const Method method{std::string(info.algorithm), 0};
    EXPECT_FALSE(effective_method(method, {info.collective, 0, 0}).algorithm.empty());
  }
}

TEST(Catalogue, NeedsThatAreNotMetGiveTheFallback) {
  const auto effective_at = [](Collective collective, const char* algorithm, std::uint64_t segment,
                               std::uint64_t p, std::uint64_t bytes) {
    return effective_method({algorithm, segment}, {collective, p, bytes});
  };
  EXPECT_EQ(effective_at(Collective::kAllgather, "recursive_doubling", 0, 8, 1),
            (Method{"recursive_doubling", 0}));
  EXPECT_EQ(effective_at(Collective::kAllgather, "recursive_doubling", 0, 6, 1),
            (Method{"bruck", 0}));
  EXPECT_EQ(effective_at(Collective::kAllgather, "neighbor_exchange", 0, 5, 1),
            (Method{"ring", 0}));
  // Both the power of two and the bytes: one fallback after the other.
  EXPECT_EQ(effective_at(Collective::kBcast, "scatter_allgather", 0, 6, 6),
            (Method{"scatter_allgather_ring", 0}));
  EXPECT_EQ(effective_at(Collective::kBcast, "scatter_allgather", 0, 6, 5),
            (Method{"binomial", 0}));
  // A segment is one of a rank's block.
  EXPECT_EQ(effective_at(Collective::kAllreduce, "segmented_ring", 1024, 4, 4097),
            (Method{"segmented_ring", 1024}));
  EXPECT_EQ(effective_at(Collective::kAllreduce, "segmented_ring", 1024, 4, 4096),
            (Method{"ring", 0}));
}

TEST(Catalogue, NodesDecideWhatKnowsThem) {
  const auto effective_on = [](const char* algorithm, std::uint64_t p, std::uint64_t nodes,
                               std::uint64_t ranks_per_node) {
    return effective_method({algorithm, 0}, {Collective::kAllreduce, p, 64, nodes, ranks_per_node})
        .algorithm;
  };
  EXPECT_EQ(effective_on("hierarchical", 8, 2, 4), "hierarchical");
  EXPECT_EQ(effective_on("hierarchical", 8, 2, 7), "hierarchical");
  EXPECT_EQ(effective_on("hierarchical", 8, 1, 8), "recursive_doubling");
  EXPECT_EQ(effective_on("hierarchical", 8, 8, 1), "recursive_doubling");
  EXPECT_EQ(effective_on("hierarchical", 8, 0, 0), "recursive_doubling") << "not known";
  EXPECT_EQ(effective_on("multi_leader", 8, 2, 4), "multi_leader");
  EXPECT_EQ(effective_on("multi_leader", 8, 2, 5), "multi_leader") << "5 and 3";
  EXPECT_EQ(effective_on("multi_leader", 8, 8, 1), "recursive_doubling");
  EXPECT_EQ(effective_on("shared_memory", 8, 1, 8), "shared_memory");
  EXPECT_EQ(effective_on("shared_memory", 8, 2, 4), "recursive_doubling");
  EXPECT_EQ(effective_on("shared_memory", 8, 0, 0), "recursive_doubling") << "not known";
  EXPECT_EQ(effective_on("hierarchical_shared", 8, 2, 4), "hierarchical_shared");
  EXPECT_EQ(effective_on("hierarchical_shared", 8, 1, 8), "recursive_doubling");
  EXPECT_EQ(effective_on("multi_leader_shared", 8, 2, 4), "multi_leader_shared");
  EXPECT_TRUE(shares_memory(Collective::kAllreduce, {"multi_leader_shared", 0}));
  EXPECT_FALSE(shares_memory(Collective::kAllreduce, {"multi_leader", 0}));
}

TEST(Catalogue, LeadersOfANodeAreSaidWhereTheyAreFewer) {
  const auto of = [](const char* method, std::uint64_t nodes, std::uint64_t ranks_per_node) {
    return effective_method(parse_method_name(method, 0),
                            {Collective::kReduce, 8, 64, nodes, ranks_per_node})
        .name();
  };
  EXPECT_EQ(of("multi_leader@fanout=2", 2, 4), "multi_leader@fanout=2");
  EXPECT_EQ(of("multi_leader@fanout=4", 2, 4), "multi_leader");
  EXPECT_EQ(of("multi_leader@fanout=4", 2, 5), "multi_leader@fanout=4");
  EXPECT_EQ(of("multi_leader@fanout=5", 2, 5), "multi_leader");
  EXPECT_EQ(of("multi_leader@fanout=2", 8, 1), "binomial");
  EXPECT_EQ(of("hierarchical@fanout=2", 2, 4), "hierarchical");
  EXPECT_FALSE(takes(*find_portable_algorithm(Collective::kReduce, "hierarchical"), {.fanout = 2}));
}

TEST(Catalogue, OperationsThatDoNotCommuteKeepTheirOrder) {
  for (const AlgorithmInfo& info : portable_algorithms()) {
    const std::uint64_t nodes = (info.needs & kOneNode) != 0 ? 1 : 2;
    const bool ordered =
        can_run(info, {info.collective, 8, 1 << 20, nodes, 8 / nodes}, 1024, false);
    EXPECT_EQ(ordered, (info.needs & kCommutative) == 0) << info.algorithm;
  }
}

TEST(Catalogue, ParametersThatChangeNothingAreNotSaid) {
  const auto of = [](Collective collective, const char* algorithm, std::uint64_t p) {
    return effective_method(parse_method_name(algorithm, 0), {collective, p, 64}).name();
  };
  EXPECT_EQ(of(Collective::kBcast, "knomial@radix=8", 16), "knomial@radix=8");
  EXPECT_EQ(of(Collective::kBcast, "knomial@radix=8", 4), "knomial");  // both are flat
  EXPECT_EQ(of(Collective::kBcast, "knomial@radix=8", 5), "knomial@radix=8");
  EXPECT_EQ(of(Collective::kBcast, "knomial@radix=16", 8), "knomial@radix=8");
  EXPECT_EQ(of(Collective::kBcast, "knomial@radix=4", 16), "knomial");
  EXPECT_EQ(of(Collective::kAlltoall, "linear@requests=4", 8), "linear@requests=4");
  EXPECT_EQ(of(Collective::kAlltoall, "linear@requests=4", 5), "linear");
  EXPECT_EQ(of(Collective::kAllgather, "recursive_doubling", 6), "bruck");
  EXPECT_EQ(of(Collective::kBcast, "ring@radix=8", 4), "ring@radix=8");  // not of the catalogue
}

TEST(Catalogue, RowsTakeTheirOwnParametersOnly) {
  const auto row_takes = [](Collective collective, const char* algorithm) {
    const Method method = parse_method_name(algorithm);
    return takes(*find_portable_algorithm(collective, method.algorithm), method.parameters);
  };
  EXPECT_TRUE(row_takes(Collective::kBcast, "knomial@radix=32"));
  EXPECT_TRUE(row_takes(Collective::kBcast, "binary@requests=2"));
  EXPECT_FALSE(row_takes(Collective::kBcast, "knomial@radix=33"));
  EXPECT_FALSE(row_takes(Collective::kBcast, "knomial@radix=1"));
  EXPECT_FALSE(row_takes(Collective::kBcast, "linear@radix=4"));
  EXPECT_FALSE(row_takes(Collective::kAlltoall, "linear@fanout=4"));
}

TEST(Catalogue, SegmentAsLargeAsTheMessageIsNone) {
  EXPECT_EQ(effective("binomial", 1024, 8, 1024), (Method{"binomial", 0}));
  EXPECT_EQ(effective("binomial", 1024, 8, 1025), (Method{"binomial", 1024}));
  EXPECT_EQ(effective("binomial", 1024, 8, 0), (Method{"binomial", 0}));
}

TEST(Catalogue, SplitBinarySegmentsItsHalves) {
  EXPECT_EQ(effective("split_binary", 1024, 8, 2048), (Method{"split_binary", 0}));
  EXPECT_EQ(effective("split_binary", 1024, 8, 2049), (Method{"split_binary", 1024}));
}

TEST(Catalogue, SplitBinaryIsBinaryWhereNothingCanBeSplit) {
  EXPECT_EQ(effective("split_binary", 1024, 2, 4096), (Method{"binary", 1024}));
  EXPECT_EQ(effective("split_binary", 1024, 2, 1024), (Method{"binary", 0}));
  EXPECT_EQ(effective("split_binary", 0, 8, 1), (Method{"binary", 0}));
}

TEST(Catalogue, ForeignMethodsKeepTheirUnknownSegment) {
  const Method foreign{"basic_linear", std::nullopt};
  EXPECT_EQ(effective_method(foreign, {Collective::kBcast, 8, 16}), foreign);
}

TEST(Catalogue, EffectiveIsIdempotent) {
  for (const CollectiveInfo& info : all_collectives()) {
    for (const Method& method : portable_methods(info.collective, paper_segment_sizes())) {
      for (const std::uint64_t p : {1, 2, 3, 4, 5, 28}) {
        for (const std::uint64_t bytes : {0, 1, 2, 1024, 2048, 2049, 393216}) {
          for (const std::uint64_t on_node : {0, 1, 2, 3}) {
            const std::uint64_t nodes = on_node == 0 ? 0 : (p + on_node - 1) / on_node;
            const Instance instance{info.collective, p, bytes, nodes, on_node};
            const Method once = effective_method(method, instance);
            EXPECT_EQ(effective_method(once, instance), once)
                << method.label() << " " << p << " " << bytes << " " << on_node;
          }
        }
      }
    }
  }
}

TEST(Catalogue, ParseMethods) {
  const auto parse = [](const char* text) {
    return parse_methods(text, Collective::kBcast, paper_segment_sizes());
  };
  EXPECT_EQ(parse("Binomial_1K"), (std::vector<Method>{{"binomial", 1024}}));
  EXPECT_EQ(parse("linear,default").size(), 2U);
  EXPECT_EQ(parse("binomial").size(), 7U);
  try {
    parse("binomal");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "unknown method 'binomal' of bcast; did you mean 'binomial'?");
  }
}

TEST(Collective, NamesReadBackAndErrorsSuggest) {
  for (const CollectiveInfo& info : all_collectives())
    EXPECT_EQ(parse_collective(info.name), info.collective);
  try {
    parse_collective("bcats");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "unknown collective 'bcats'; did you mean 'bcast'?");
  }
  for (const char* name : {"MPI_Allreduce", "mpi_allreduce", "Allreduce", "PMPI_Allreduce_c"})
    EXPECT_EQ(parse_collective(name), Collective::kAllreduce) << name;
  EXPECT_EQ(parse_collectives("MPI_Bcast,bcast").size(), 1U);
  for (const std::string name : {"MPI_Iallreduce", "MPI_Allreduce_init", "iallreduce"}) {
    try {
      parse_collective(name);
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), "unknown collective '" + name +
                                  "'; name its blocking form, allreduce: what is measured and "
                                  "decided is allreduce");
    }
  }
}

std::string order_text(Collective collective, std::string_view label) {
  const auto order = sum_order(collective, parse_method_name(label, 0));
  return order ? text_of(*order) : "none";
}

TEST(SumOrder, IsOfTheAlgorithmWhateverItsSegment) {
  EXPECT_EQ(sum_order(Collective::kReduce, {"binomial", 0, {}}),
            sum_order(Collective::kReduce, {"binomial", 8192, {}}));
  EXPECT_EQ(order_text(Collective::kReduce, "pipeline"), "chain");
  EXPECT_EQ(order_text(Collective::kAllreduce, "recursive_doubling"), "near pairs");
}

TEST(SumOrder, OfAKnomialTreeHasItsRadix) {
  EXPECT_EQ(order_text(Collective::kReduce, "knomial"), "4-nomial tree");
  EXPECT_EQ(order_text(Collective::kReduce, "knomial@radix=8"), "8-nomial tree");
  EXPECT_NE(sum_order(Collective::kReduce, {"knomial", 0, {}}),
            sum_order(Collective::kReduce, {"knomial", 0, {.radix = 8}}));
}

TEST(SumOrder, IsNoneWhereElementsOrPlacementsDiffer) {
  EXPECT_EQ(order_text(Collective::kAllreduce, "ring"), "none");
  EXPECT_EQ(order_text(Collective::kAllreduce, "hierarchical"), "none");
  EXPECT_EQ(order_text(Collective::kAllreduce, "default"), "none");
  EXPECT_EQ(order_text(Collective::kReduce, "unknown"), "none");
}

TEST(SumOrder, OnlyReductionsAddUp) {
  EXPECT_TRUE(adds_up(Collective::kAllreduce));
  EXPECT_TRUE(adds_up(Collective::kExscan));
  EXPECT_FALSE(adds_up(Collective::kBcast));
  EXPECT_FALSE(adds_up(Collective::kAlltoall));
}

}  // namespace

}  // namespace colltree
