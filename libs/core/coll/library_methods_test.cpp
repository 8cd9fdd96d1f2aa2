// SPDX-License-Identifier: BSD-3-Clause
#include "coll/library_methods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace colltree {
namespace {

using testing::Contains;
using testing::Not;

constexpr std::uint64_t kSegments[] = {0, 1024};

TEST(LibraryMethods, HaveEverySegmentSizeAndParameter) {
  const auto methods = library_methods(Library::kOpenmpi, Collective::kBcast, kSegments,
                                       parse_parameter_values("fanout=2:4,radix=8"));
  for (const char* name : {"chain@fanout=2", "chain@fanout=4", "knomial", "knomial@radix=8"}) {
    EXPECT_THAT(methods, Contains(parse_method_name(name, 0))) << name;
    EXPECT_THAT(methods, Contains(parse_method_name(name, 1024))) << name;
  }
  EXPECT_THAT(methods, Not(Contains(Method{"chain", 0})));
  EXPECT_THAT(methods, Contains(Method{"basic_linear", std::nullopt}));
}

TEST(LibraryMethods, AreThereForAllCollectivesOfBothLibraries) {
  std::size_t openmpi = 0;
  std::size_t mpich = 0;
  for (const CollectiveInfo& info : all_collectives()) {
    openmpi += library_methods(Library::kOpenmpi, info.collective, {}, {}).empty() ? 0 : 1;
    mpich += library_methods(Library::kMpich, info.collective, {}, {}).empty() ? 0 : 1;
  }
  EXPECT_EQ(openmpi, 14U);
  EXPECT_EQ(mpich, 14U);
}

TEST(LibraryMethods, LoseSegmentsThatDoNotCut) {
  const std::vector<Method> methods = {
      {"pipeline", 0}, {"pipeline", 1024}, {"linear", std::nullopt}};
  EXPECT_EQ(segmented_below(methods, 1024).size(), 2U);
  EXPECT_EQ(segmented_below(methods, 1025).size(), 3U);
}

TEST(LibraryMethods, AreSelectedByLabelOrAlgorithm) {
  const auto known = library_methods(Library::kOpenmpi, Collective::kBcast, kSegments, {});
  EXPECT_EQ(select_methods("Binomial_1K", known), (std::vector<Method>{{"binomial", 1024}}));
  EXPECT_EQ(select_methods("chain", known).size(), 6U);
  EXPECT_EQ(select_methods("Chain@fanout=4", known).size(), 2U);
  EXPECT_EQ(select_methods("chain@fanout=4_1k", known),
            (std::vector<Method>{{"chain", 1024, {.fanout = 4}}}));
  EXPECT_THROW(select_methods("binomal", known), Error);
}

TEST(ParameterValues, AreRefusedWithTheWordThatIsWrong) {
  EXPECT_EQ(parse_parameter_values("requests=4").fanout, ParameterValues().fanout);
  EXPECT_THROW(parse_parameter_values("fanout"), UsageError);
  EXPECT_THROW(parse_parameter_values("fanout=0"), UsageError);
  EXPECT_THROW(parse_parameter_values("width=2"), UsageError);
}

TEST(LibraryMethods, HansModulesNeedAJobOfTheirOwn) {
  const std::vector<Method> methods =
      library_methods(Library::kOpenmpi, Collective::kGather, {},
                      parse_parameter_values("up_module=1,low_module=1"));
  std::vector<std::string> settings;
  for (const Method& method : methods) {
    if (!method.algorithm.starts_with("han_")) continue;
    settings.push_back(method.name() + ": " +
                       start_setting(Library::kOpenmpi, Collective::kGather, method));
  }
  EXPECT_EQ(settings,
            (std::vector<std::string>{
                "han_intra: ", "han_intra@up_module=1: OMPI_MCA_coll_han_gather_up_module=1",
                "han_intra@low_module=1: OMPI_MCA_coll_han_gather_low_module=1", "han_simple: "}));
  EXPECT_THROW(parse_parameter_values("up_module=2"), UsageError);
}

}  // namespace
}  // namespace colltree
