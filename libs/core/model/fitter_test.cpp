// SPDX-License-Identifier: BSD-3-Clause
#include "model/fitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/test_scratch.h"
#include "model/kinds/c45_tree.h"
#include "model/kinds/quadtree.h"
#include "model/model.h"
#include "model/quadtree/label_grid.h"
#include "timings/call_mix.h"

namespace colltree::model {
namespace {

// bcast on 2, 4, 8, 16 ranks x 1 K, 4 K, 16 K, 64 K; `small` wins up to 4 K, then `large`.
Timings toy_timings(Collective collective = Collective::kBcast) {
  Timings timings;
  timings.system = "grig";
  timings.provenance = "simulated";
  timings.collective = collective;
  timings.methods = {{"small", 0}, {"large", 0}};
  for (const std::uint64_t ranks : {2, 4, 8, 16}) {
    for (const std::uint64_t bytes : {1024, 4096, 16384, 65536}) {
      timings.instances.push_back({collective, ranks, bytes});
      timings.time_us.push_back(bytes <= 4096 ? 1 : 3);
      timings.time_us.push_back(2);
      timings.default_us.push_back(kNoTime);
    }
  }
  return timings;
}

std::string refusal(const std::string& text) {
  return error_of([&] { parse_fitter(text); });
}

TEST(Fitter, NamesAreCanonical) {
  const std::pair<const char*, const char*> names[] = {
      {"quadtree", "quadtree"},
      {"quadtree:max_depth=3", "quadtree:max_depth=3"},
      {" quadtree: accuracy_threshold=0.90 , max_depth=03",
       "quadtree:max_depth=3,accuracy_threshold=0.9"},
      {"quadtree:max_depth=none,reshape=end,accuracy_threshold=1", "quadtree"},
      {"quadtree:reshape=even", "quadtree:reshape=even"},
      {"kdtree:max_depth=0", "kdtree:max_depth=0"},
      {"c45:confidence=5,weight=40", "c45:weight=40,confidence=5"},
      {"c45:weight=2,confidence=25,gain=false", "c45"},
      {"c45:confidence=0.1,group=true", "c45:confidence=0.1,group=true"},
  };
  for (const auto& [text, name] : names) {
    EXPECT_EQ(parse_fitter(text).name(), name);
    EXPECT_EQ(parse_fitter(name).name(), name);
  }
}

TEST(Fitter, RefusalsNameTheWordAndTheRemedy) {
  EXPECT_EQ(refusal("octree"),
            "an octree is the quadtree of several collectives, or of several numbers of ranks a "
            "node (third=ranks_per_node): write quadtree");
  EXPECT_TRUE(
      refusal("octre:max_depth=2").starts_with("unknown fitter 'octre'; an octree is the "));
  EXPECT_EQ(refusal("kdtre"), "unknown fitter 'kdtre'; did you mean 'kdtree'?");
  EXPECT_EQ(refusal("quadtre"), "unknown fitter 'quadtre'; did you mean 'quadtree'?");
  EXPECT_TRUE(refusal("forest").starts_with("unknown fitter 'forest'; known are quadtree, kdtree"));
  EXPECT_EQ(refusal("c45:wieght=3"), "c45: unknown parameter 'wieght'; did you mean 'weight'?");
  EXPECT_EQ(refusal("kdtree:reshape=end"),
            "kdtree: unknown parameter 'reshape'; known are max_depth, accuracy_threshold, third");
  EXPECT_EQ(refusal("quadtree:"), "quadtree: expected PARAMETER=VALUE, got ''");
  EXPECT_EQ(refusal("quadtree:max_depth"), "quadtree: expected PARAMETER=VALUE, got 'max_depth'");
  EXPECT_EQ(refusal("quadtree:max_depth=-1"),
            "quadtree: max_depth: expected a whole number from 0 to 1073741824 or none, got '-1'");
  EXPECT_EQ(refusal("quadtree:accuracy_threshold=1.1"),
            "quadtree: accuracy_threshold: expected a number above 0, at most 1, got '1.1'");
  EXPECT_EQ(refusal("c45:weight=0"),
            "c45: weight: expected a whole number from 1 to 1073741824, got '0'");
  EXPECT_EQ(refusal("c45:confidence=nan"),
            "c45: confidence: expected a number above 0.001, at most 100, got 'nan'");
  EXPECT_EQ(refusal("c45:group=yes"), "c45: group: expected true or false, got 'yes'");
}

TEST(Fitter, FitsAndIsKnownFromItsModel) {
  for (const char* text :
       {"quadtree:max_depth=1", "quadtree:reshape=even", "kdtree:max_depth=2",
        "c45:weight=3,confidence=0.1,power_of_two=true",
        "c45:group=true,parity=true,log2_message_size=true", "c45-rules:weight=3,group=true"}) {
    const auto model = parse_fitter(text).fit({toy_timings()});
    EXPECT_EQ(model.decide({Collective::kBcast, 8, 4096}), (Method{"small", 0})) << text;
    EXPECT_EQ(model.decide({Collective::kBcast, 8, 16384}), (Method{"large", 0})) << text;
    EXPECT_EQ(fitter_of(model).name(), text);
    EXPECT_EQ(fitter_of(model_from_json(to_json(model))).name(), text);
    EXPECT_EQ(to_json(fitter_of(model).fit({toy_timings()})), to_json(model));
  }
}

TEST(Fitter, AnOctreeIsAQuadtreeOverSeveralCollectives) {
  const auto model =
      parse_fitter("quadtree").fit({toy_timings(), toy_timings(Collective::kReduce)});
  EXPECT_EQ(model.kind, "octree");
  EXPECT_EQ(fitter_of(model).name(), "quadtree");
}

TEST(Fitter, WhatCannotBeFittedAgainIsRefused) {
  RuleTree tree{.methods = {{"small", 0}}, .roots = {{Collective::kBcast, 0}}, .nodes = {}};
  append_leaf(tree, 0);
  EXPECT_THROW(fitter_of(rules_model(origin_of({toy_timings()}), tree)), Error);
  LabelGrid grid = make_grid_of({toy_timings()}, "collective");
  grid.weights.assign(grid.points(), 2.0);
  const Model weighted = fit_quadtree(origin_of({toy_timings()}), grid, {});
  EXPECT_THROW(fitter_of(model_from_json(to_json(weighted))), Error);
}

}  // namespace
}  // namespace colltree::model
