// SPDX-License-Identifier: BSD-3-Clause
// The public headers answer as what they stand for: at every instance, and with the same errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_paths.h"
#include "colltree/model.hpp"
#include "face/values.h"
#include "model/model.h"
#include "profile/import.h"
#include "profile/load_timings.h"
#include "profile/test_profile.h"
#include "surrogate/complete.h"

namespace colltree::core {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Timing row(std::uint64_t ranks, std::uint64_t bytes, const Method& method, double time_us) {
  return {{"bcast", ranks, bytes}, method, time_us};
}

const Method kBinomial{"binomial", 0}, kChain{"chain@fanout=2", 1024}, kDefault{"default"};

Timings small() {
  return Timings::from_rows("here",
                            {row(4, 8, kDefault, 4), row(4, 8, kChain, 3), row(4, 8, kBinomial, 2),
                             row(8, 64, kChain, 5), row(8, 64, kBinomial, 9)});
}

TEST(FaceOfTimings, IsTheTableOfTheRows) {
  const Timings timings = small();
  EXPECT_THAT(timings.methods(), ElementsAre(kBinomial, kChain, kDefault));
  EXPECT_THAT(timings.instances(), ElementsAre(Instance{"bcast", 4, 8}, Instance{"bcast", 8, 64}));
  EXPECT_EQ(timings.best({"bcast", 4, 8})->method, kBinomial);
  EXPECT_EQ(timings.best({"bcast", 8, 64})->method, kChain);
  EXPECT_EQ(timings.time({"bcast", 8, 64}, kBinomial)->time_us, 9);
  EXPECT_EQ(timings.time({"bcast", 8, 64}, kDefault), std::nullopt);
  EXPECT_EQ(timings.best({"bcast", 4, 9}), std::nullopt);
}

TEST(FaceOfTimings, RefusesRowsThatAreNoTable) {
  EXPECT_EQ(error_of([] { Timings::from_rows("here", {}); }),
            "timings: there is no row; a table needs one for each time");
  EXPECT_EQ(error_of([] { Timings::from_rows("here", {row(4, 8, kChain, 0)}); }),
            "timings: a row of bcast on 4 ranks with 0 us among those of bcast: a table holds one "
            "collective by one name, ranks and times above 0");
  EXPECT_EQ(error_of([] {
              Timings::from_rows("here", {row(4, 8, kBinomial, 1), row(4, 8, kBinomial, 2)});
            }),
            "timings: two rows of bcast on 4 ranks, 8 bytes, Binomial_0K");
  EXPECT_THAT(error_of([] {
                Timings::from_rows("here", {{{"brodcast", 4, 8}, kBinomial, 1}});
              }),
              HasSubstr("brodcast"));
}

TEST(FaceOfTimings, LoadsWhatEveryCommandLoads) {
  const std::string file = fresh_path("face.db").string();
  {
    profile::Profile profile(file, profile::OpenMode::kWrite);
    profile::import_csv(profile, read_file(testing::data_dir() / "fugaku_fjmpi_8coll.csv.gz"), "f",
                        {profile::MessageSizeConvention::kTotal});
  }
  EXPECT_THAT(Timings::collectives(file), ::testing::Contains("allreduce"));
  const Timings timings = Timings::load(file, "allreduce");
  const auto stored =
      surrogate::complete(profile::load_timings(profile::Profile(file, profile::OpenMode::kRead),
                                                table_of(timings).system, Collective::kAllreduce));
  EXPECT_EQ(hash_of({table_of(timings)}), hash_of({stored}));
  EXPECT_THAT(error_of([&] { Timings::load(file, "scan"); }), HasSubstr("scan"));
  EXPECT_THAT(error_of([&] { Timings::load("none.db", "scan"); }), HasSubstr("none.db"));
}

TEST(FaceOfModels, DecidesAndIsJudgedAsTheModelInside) {
  const Timings timings = small();
  const Model model = fit({timings}, "optimal:leaves=2");
  EXPECT_EQ(model.kind(), "optimal");
  EXPECT_EQ(model.leaves(), 2U);
  EXPECT_THAT(model.collectives(), ElementsAre("bcast"));
  EXPECT_EQ(model.decide({"bcast", 4, 8}), kBinomial);
  EXPECT_EQ(model.decide({"bcast", 100, 1 << 20}), kChain);
  EXPECT_EQ(penalty(model, timings).max, 0);
  const Penalty one_leaf = penalty(fit({timings}, "optimal:leaves=1"), timings);
  EXPECT_DOUBLE_EQ(one_leaf.max, 0.5);  // chain where binomial takes 2 us of 3
  EXPECT_DOUBLE_EQ(one_leaf.mean, 0.25);
  EXPECT_EQ(one_leaf.instances, 2U);
  EXPECT_DOUBLE_EQ(one_leaf.charged_mean, 0.25);
  const std::string file = fresh_path("face.json").string();
  model.save(file);
  EXPECT_EQ(content_of(Model::load(file)).rules, content_of(model).rules);
  EXPECT_THAT(error_of([&] { model.decide({"reduce", 4, 8}); }), HasSubstr("reduce"));
  EXPECT_THAT(error_of([&] { fit({timings}, "forest"); }), HasSubstr("forest"));
}

TEST(FaceOfModels, WithoutAKindFitsTheOneThatIsDeployed) {
  EXPECT_EQ(fit({small()}).kind(), "optimal");
}

}  // namespace

}  // namespace colltree::core
