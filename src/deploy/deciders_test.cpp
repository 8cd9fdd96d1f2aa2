// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/deciders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace colltree {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// bcast on 2 and 8 ranks; `han_us`: of HAN's own method on 8.
Timings bcast(double han_us) {
  Timings timings;
  timings.collective = Collective::kBcast;
  timings.methods = {library_default(), {"binomial", 0}, {"han_simple", std::nullopt}};
  timings.instances = {{Collective::kBcast, 2, 64}, {Collective::kBcast, 8, 64}};
  timings.time_us = {1, 1, kNoTime, 3, 4, han_us};
  return timings;
}

TEST(Deciders, HanIsWhereItsMethodsHaveTimes) {
  EXPECT_THAT(who_decides({bcast(2)}), ElementsAre("bcast: coll/han on 8 ranks, coll/tuned on 2"));
}

TEST(Deciders, WithoutHanNobodyIsNamed) { EXPECT_THAT(who_decides({bcast(kNoTime)}), IsEmpty()); }

}  // namespace
}  // namespace colltree
