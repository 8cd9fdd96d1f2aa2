// SPDX-License-Identifier: BSD-3-Clause
#include "coll/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace colltree {
namespace {

Method effective(const char* algorithm, std::uint64_t segment_size, std::uint64_t p,
                 std::uint64_t bytes) {
  return effective_method({algorithm, segment_size}, {Collective::kBcast, p, bytes});
}

TEST(Catalogue, CountsOfThePapers) {
  EXPECT_EQ(portable_methods(Collective::kBcast, paper_segment_sizes()).size(), 29U);
  EXPECT_EQ(portable_methods(Collective::kReduce, paper_segment_sizes()).size(), 22U);
  EXPECT_EQ(portable_methods(Collective::kAlltoall, paper_segment_sizes()).size(), 3U);
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
  for (const Collective collective :
       {Collective::kBcast, Collective::kReduce, Collective::kAlltoall}) {
    for (const Method& method : portable_methods(collective, paper_segment_sizes())) {
      for (const std::uint64_t p : {1, 2, 3, 4, 28}) {
        for (const std::uint64_t bytes : {0, 1, 2, 1024, 2048, 2049, 393216}) {
          const Instance instance{collective, p, bytes};
          const Method once = effective_method(method, instance);
          EXPECT_EQ(effective_method(once, instance), once)
              << method.label() << " " << p << " " << bytes;
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

TEST(Method, LabelsAsInThePapers) {
  EXPECT_EQ((Method{"linear", 0}.label()), "Linear_0K");
  EXPECT_EQ((Method{"split_binary", 1024}.label()), "SplitBinary_1K");
  EXPECT_EQ((Method{"basic_linear", std::nullopt}.label()), "basic_linear");
  EXPECT_EQ((Method{"ring", 1500}.label()), "Ring_1500B");
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
}

}  // namespace
}  // namespace colltree
