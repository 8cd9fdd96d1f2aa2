// SPDX-License-Identifier: BSD-3-Clause
// Model files as colltree wrote them before version 2, kept in tests/data/models: one of each kind,
// fitted to toy.csv there.
#include "model/version1.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/test_paths.h"
#include "base/test_scratch.h"
#include "model/fitter.h"
#include "model/model_file.h"
#include "model/testing.h"
#include "profile/import.h"
#include "profile/load_timings.h"

namespace colltree {
namespace {

using ::testing::HasSubstr;

const auto kFolder = testing::data_dir() / "models";

Json stored(const std::string& name) { return Json::parse(read_file(kFolder / (name + ".json"))); }

std::vector<Timings> toy(const std::vector<Collective>& collectives) {
  const auto path = kFolder / "toy.csv";
  Profile profile(fresh_path("toy.db"), OpenMode::kWrite);
  import_csv(profile, read_file(path), path.string(), {});
  std::vector<Timings> timings;
  for (const Collective one : collectives) timings.push_back(load_timings(profile, "toy", one));
  return timings;
}

// What the fit of today gives: decisions, parameters, statistics and text. Only the penalty is not
// part of a fit.
TEST(Version1, IsReadAsTheSameFitToday) {
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
                        {"optimal", "optimal:leaves=3,objective=mean", two}};
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    Model old = load_model(kFolder / (std::string(each.name) + ".json"));
    ASSERT_TRUE(old.statistics.penalty);
    EXPECT_EQ(old.statistics.penalty->by_collective.size(),
              each.collectives.size() == 1 ? 0 : each.collectives.size());
    old.statistics.penalty.reset();
    const Model today = parse_fitter(each.fitter).fit(toy(each.collectives));
    Model same = today;
    same.origin.mpi = old.origin.mpi;  // such files do not say it
    same.parameters = old.parameters;  // objective: "auto" is mean for so many leaves
    EXPECT_EQ(to_json(old), to_json(same));
    EXPECT_EQ(fitter_of(old).name(), each.fitter);
  }
}

TEST(Version1, HowASizeWasChosenIsRead) {
  const Model old = load_model(kFolder / "optimal-auto.json");
  EXPECT_EQ(fitter_of(old).name(), "optimal:leaves=auto,objective=mean");
  const SizeChoice choice = old.statistics.size_choice.value();
  EXPECT_EQ(choice.chosen, 2U);
  EXPECT_EQ(choice.held_out.size(), 4U);
}

TEST(Version1, RulesKeepWhatTheyWereMadeFrom) {
  const Model old = load_model(kFolder / "rules.json");
  EXPECT_EQ(old.kind, "rules");
  ASSERT_TRUE(old.statistics.smoothing);
  EXPECT_EQ(old.statistics.smoothing->kind, "quadtree");
  const Model from = load_model(kFolder / "quadtree.json");
  const std::vector<Timings> bcast = toy({Collective::kBcast});
  for (const Instance& at : bcast[0].instances) {
    EXPECT_EQ(old.decide(at), from.decide(at)) << at.communicator_size << " " << at.message_size;
  }
}

struct Damage {
  const char* place;
  Json value;
  const char* error;
};

void expect_refused(const char* name, const std::vector<Damage>& damages) {
  for (const Damage& damage : damages) {
    Json model = stored(name);
    testing::json_place(model, damage.place) = damage.value;
    try {
      model_from_json(model);
      ADD_FAILURE() << damage.place << " = " << damage.value.dump() << " is taken";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(damage.error)) << damage.place;
    }
  }
}

TEST(Version1, DamagedGridTreesAreRefused) {
  expect_refused(
      "quadtree",
      {{"/body/nodes", Json::array(), "the tree has no nodes"},
       {"/body/nodes/0/0", 0, "node 0: children at 0 of 9 nodes"},
       {"/body/nodes/4/0", 1, "node 4: children at 1 of 9 nodes"},
       {"/body/nodes/0/1", 5, "node 0: split 5 is beyond axis 0"},
       {"/body/nodes/0", {1, nullptr, nullptr}, "nodes[0]: 'nodes' holds an inner node without"},
       {"/body/nodes/8/0", 9, "node 8: method 9 of 2"},
       {"/body/nodes/2", "x", "nodes[2]: 'nodes' must hold [method] or [first child, split of"},
       {"/body/axes", {stored("quadtree")["body"]["axes"][0]}, "'axes' must be two or three"},
       {"/body/axes/0/values/1", 0, "must ascend"},
       {"/origin/collectives", {"bcast", "reduce"}, "does not fit the axes of the body"}});
}

TEST(Version1, DamagedC45TreesAreRefused) {
  expect_refused("c45", {{"/body/nodes", Json::array(), "'nodes' is empty"},
                         {"/body/nodes/0/branches/0", 0, "node 0: branch to node 0"},
                         {"/body/nodes/0/branches/1", 1, "node 1 has two parents"},
                         {"/body/nodes/0/branches", {1}, "node 0: 1 branches, expected 2"},
                         {"/body/nodes/0/attribute", 3, "node 0: attribute 3 of 3"},
                         {"/body/nodes/0/attribute", 0, "node 0: the test does not fit the"},
                         {"/body/nodes/2/method", 7, "node 2: method 7 of 3"},
                         {"/body/attributes/1", "size", "attributes[1]: "}});
}

TEST(Version1, DamagedC45RulesAreRefused) {
  EXPECT_NO_THROW(model_from_json([] {
    Json model = stored("c45-rules");
    model["body"]["default"] = 1;
    return model;
  }()));
  expect_refused(
      "c45-rules",
      {{"/body/default", 3, "'default': method 3 of 3"},
       {"/body/rules/0/method", 9, "rule 0: method 9 of 3"},
       {"/body/rules/0/conditions/0/attribute", 3, "rule 0: attribute 3 of 3"},
       {"/body/rules/0/conditions/0/values/0", 0, "'values' count from 1"},
       {"/body/rules/1/conditions/0",
        {{"attribute", 0}, {"at_most", 1.5}},
        "rule 1: the condition does not fit the attribute"},
       {"/body/rules/1/conditions/0", {{"attribute", 1}}, "field 'at_most' is missing"}});
}

}  // namespace
}  // namespace colltree
