// SPDX-License-Identifier: BSD-3-Clause
// Model files that were written once, kept in tests/data/models: one of each kind, fitted to
// toy.csv there. Who changes what they mean changes the version of the format.
#include <gtest/gtest.h>

#include "base/input.h"
#include "base/json.h"
#include "base/test_paths.h"
#include "base/test_scratch.h"
#include "model/fitter.h"
#include "model/model.h"
#include "model/test_models.h"
#include "profile/import.h"
#include "profile/load_timings.h"
#include "profile/test_profile.h"
#include "surrogate/complete.h"

namespace colltree::model {
namespace {

const auto kFolder = testing::data_dir() / "models";

std::vector<Timings> toy(const std::vector<Collective>& collectives) {
  const auto path = kFolder / "toy.csv";
  profile::Profile profile(fresh_path("toy.db"), profile::OpenMode::kWrite);
  profile::import_csv(profile, read_file(path), path.string(), {});
  std::vector<Timings> timings;
  for (const Collective one : collectives)
    timings.push_back(surrogate::complete(profile::load_timings(profile, "toy", one)));
  return timings;
}

// What the fit of today gives: decisions, parameters, statistics and text. Only the penalty is not
// part of a fit.
TEST(StoredModels, AreReadAsTheSameFitToday) {
  const std::vector<Collective> one = {Collective::kBcast};
  const std::vector<Collective> two = {Collective::kBcast, Collective::kReduce};
  const std::vector<Collective> three = {Collective::kBcast, Collective::kReduce,
                                         Collective::kGather};
  struct Case {
    const char* name;
    const char* fitter;
    std::vector<Collective> collectives;
  };
  const Case cases[] = {{"quadtree", "quadtree", one},
                        {"octree", "quadtree", three},
                        {"kdtree", "kdtree", one},
                        {"c45", "c45", three},
                        {"c45-group", "c45:weight=1,group=true,power_of_two=true", three},
                        {"c45-rules", "c45-rules:group=true", three},
                        {"optimal", "optimal:leaves=3", two}};
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    Model stored = load_model(kFolder / (std::string(each.name) + ".json"));
    ASSERT_TRUE(stored.statistics.penalty);
    EXPECT_EQ(stored.statistics.penalty->by_collective.size(),
              each.collectives.size() == 1 ? 0 : each.collectives.size());
    stored.statistics.penalty.reset();
    const Model fitted = parse_fitter(each.fitter).fit(toy(each.collectives));
    // A node of a stored tree may have several parents, which no fit of today writes.
    for (const Instance& instance : testing::telling_instances(stored.rules))
      ASSERT_EQ(stored.decide(instance), fitted.decide(instance));
    if (stored.rules.roots.size() == 2) stored.rules = fitted.rules;
    EXPECT_EQ(to_json(stored), to_json(fitted));
    EXPECT_EQ(fitter_of(stored).name(), each.fitter);
  }
}

TEST(StoredModels, RulesKeepWhatTheyWereMadeFrom) {
  const Model stored = load_model(kFolder / "rules.json");
  EXPECT_EQ(stored.kind, "rules");
  ASSERT_TRUE(stored.statistics.smoothing);
  EXPECT_EQ(stored.statistics.smoothing->kind, "quadtree");
  const Model from = load_model(kFolder / "quadtree.json");
  const std::vector<Timings> bcast = toy({Collective::kBcast});
  for (const Instance& at : bcast[0].instances) {
    EXPECT_EQ(stored.decide(at), from.decide(at)) << at.communicator_size << " " << at.message_size;
  }
}

}  // namespace
}  // namespace colltree::model
