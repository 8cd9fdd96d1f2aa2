// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "model/openmpi/library_rules.h"

namespace colltree::model {
namespace {

std::string chosen(Collective collective, std::uint64_t ranks, std::uint64_t bytes) {
  return decide(openmpi_fixed_rules(collective), {collective, ranks, bytes}).algorithm;
}

// Read off coll_tuned_decision_fixed.c, 4.1.
TEST(FixedRules, DecideAsTheCompiledCode) {
  EXPECT_EQ(chosen(Collective::kBcast, 3, 31), "pipeline");
  EXPECT_EQ(chosen(Collective::kBcast, 3, 32), "binary");
  EXPECT_EQ(chosen(Collective::kBcast, 3, 1 << 30), "binary");
  EXPECT_EQ(chosen(Collective::kBcast, 4, 0), "binary");
  EXPECT_EQ(chosen(Collective::kBcast, 128, 1), "binomial");
  EXPECT_EQ(chosen(Collective::kBcast, 127, 1), "knomial");
  EXPECT_EQ(chosen(Collective::kBcast, 100000, 262144), "scatter_allgather");
  EXPECT_EQ(chosen(Collective::kAllgather, 2, 100), "two_proc");
  EXPECT_THROW(openmpi_fixed_rules(Collective::kScan), Error);
  EXPECT_FALSE(has_openmpi_fixed_rules(Collective::kScan));
}

TEST(FixedRules, TakeTheNamesOfTheProfile) {
  const std::vector<Method> methods = {
      {"ompi:linear", std::nullopt}, {"binomial", 0}, {"Knomial", std::nullopt}};
  const RuleTree tree = with_names_of(openmpi_fixed_rules(Collective::kBcast), methods);
  const auto has = [&](const Method& method) {
    return std::ranges::count(tree.methods, method) == 1;
  };
  EXPECT_TRUE(has({"ompi:linear", std::nullopt}));
  EXPECT_TRUE(has({"Knomial", std::nullopt}));
  EXPECT_TRUE(has({"binomial", std::nullopt}));  // a segmented one is not the library's
}

}  // namespace
}  // namespace colltree::model
