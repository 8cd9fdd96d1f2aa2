// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>

#include "base/file.h"
#include "base/input.h"
#include "base/test_paths.h"
#include "base/test_scratch.h"
#include "model/model.h"
#include "report/curves.h"
#include "report/method_maps.h"
#include "report/svg.h"
#include "report/test_picture.h"
#include "report/tree_figure.h"

namespace colltree::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::tiny_timings;
using testing::well_formed;

// Compares with tests/data/plots/NAME; COLLTREE_WRITE_GOLDEN=1 writes it instead.
void expect_golden(const std::string& name, const std::string& svg) {
  const std::string path = colltree::testing::data_dir().string() + "/plots/" + name;
  if (std::getenv("COLLTREE_WRITE_GOLDEN") != nullptr) write_file(path, svg);
  EXPECT_EQ(svg, read_file(path)) << "look at the new picture; then COLLTREE_WRITE_GOLDEN=1";
}

Method always_linear(const Instance&) { return {"linear", 0}; }

TEST(Picture, DecisionMapOfATinyProfile) {
  const Timings timings = tiny_timings();
  MethodMap linear = chosen_map(timings, always_linear);
  linear.title = "always <linear>";
  linear.subtitle = penalty_text(summarize(penalty_points(timings, always_linear)));
  const std::string svg =
      draw(decision_figure("bcast & friends", {exact_map(timings), linear}, Background::kLight),
           Background::kLight);
  EXPECT_THAT(svg, HasSubstr("bcast &amp; friends"));
  EXPECT_THAT(svg, HasSubstr("always &lt;linear&gt;"));
  // (0 + 0 + 90/60 + 20/15 + 200/100 - 3) / 5
  EXPECT_THAT(svg, HasSubstr("mean 36.7 %, max 100 %"));
  EXPECT_THAT(svg, HasSubstr("<g class=\"interpolated\">"));
  EXPECT_TRUE(well_formed(svg));
  expect_golden("tiny_map.svg", svg);
}

TEST(Picture, PenaltyMapOfATinyProfile) {
  const Timings timings = tiny_timings();
  const auto never = [](const Instance& at) {
    return at.message_size == 4096 ? Method{"chain", 0} : Method{"binomial", 0};
  };
  const std::string svg =
      draw(penalty_figure("losses",
                          {penalty_map(timings, default_penalty_points(timings)),
                           penalty_map(timings, penalty_points(timings, never))},
                          Background::kDark),
           Background::kDark);
  EXPECT_THAT(svg, HasSubstr("<g class=\"50 % and more\">"));
  EXPECT_THAT(svg, HasSubstr("<g class=\"cannot run\">"));
  EXPECT_THAT(svg, HasSubstr("<g class=\"not measured\">"));
  EXPECT_THAT(svg, HasSubstr(hex(page_colour(Background::kDark))));
  EXPECT_TRUE(well_formed(svg));
  expect_golden("tiny_penalty.svg", svg);
}

TEST(Picture, TimesWithIntervals) {
  const std::string svg =
      draw(times_figure("t", tiny_timings(), 2, Background::kLight), Background::kLight);
  EXPECT_THAT(svg, HasSubstr("<g class=\"Linear_0K\">"));
  EXPECT_THAT(svg, HasSubstr("<g class=\"Binomial_1K\">"));
  EXPECT_THAT(svg, HasSubstr("methods that are best nowhere here"));  // binomial, unsegmented
  EXPECT_THAT(svg, HasSubstr("default: the library"));
  EXPECT_TRUE(well_formed(svg));
  expect_golden("tiny_times.svg", svg);
  EXPECT_EQ(error_of([] { times_figure("t", tiny_timings(), 3, Background::kLight); }),
            "bcast on tiny: nothing was measured at communicator size 3");
}

TEST(Picture, TimesOfLibrariesAlone) {
  Timings alone = tiny_timings();
  alone.methods.clear();
  alone.time_us = {};
  const OtherTimes other{"other", alone};
  const std::string svg =
      draw(times_figure("t", alone, 2, Background::kLight, {&other, 1}), Background::kLight);
  EXPECT_THAT(svg, HasSubstr("default: the library"));
  EXPECT_THAT(svg, HasSubstr("<g class=\"default of other\">"));
  EXPECT_TRUE(well_formed(svg));
}

model::RuleTree two_level_tree() {
  model::RuleTree tree;
  tree.methods = {{"linear", 0}, {"binomial", 1024}};
  tree.roots = {{Collective::kBcast, 0}};
  tree.nodes = {
      {.attribute = Attribute::kMessageSize, .threshold = 2048, .low = 1, .high = 2},
      {.method = 0},
      {.attribute = Attribute::kCommunicatorSizeIsPowerOfTwo, .threshold = 0, .low = 3, .high = 4},
      {.method = 0},
      {.method = 1}};
  return tree;
}

TEST(Picture, Tree) {
  const std::string svg = draw_tree(two_level_tree(), "a tree", Background::kLight);
  EXPECT_THAT(svg, HasSubstr("message \u2264 2K"));
  EXPECT_THAT(svg, HasSubstr("power of two?"));
  EXPECT_TRUE(well_formed(svg));
  expect_golden("tiny_tree.svg", svg);
}

TEST(Picture, TestsAreWritten) {
  const auto text = [](Attribute attribute, std::uint64_t threshold) {
    const model::RuleNode node{.attribute = attribute, .threshold = threshold, .low = 1, .high = 2};
    return fmt::format("{} low: {}", test_text(node), branch_text(node, true));
  };
  EXPECT_EQ(text(Attribute::kCommunicatorSize, 9), "ranks \u2264 9 low: yes");
  EXPECT_EQ(text(Attribute::kMessageSize, 2048), "message \u2264 2K low: yes");
  EXPECT_EQ(text(Attribute::kMessageSize, 0), "message \u2264 0 low: yes");
  EXPECT_EQ(text(Attribute::kNodes, 2048), "nodes \u2264 2048 low: yes");
  EXPECT_EQ(text(Attribute::kRanksPerNode, 4), "ranks per node \u2264 4 low: yes");
  EXPECT_EQ(text(Attribute::kCommunicatorSizeIsPowerOfTwo, 0), "power of two? low: no");
  EXPECT_EQ(text(Attribute::kMessageSizeIsEven, 0), "even message size? low: no");
  EXPECT_EQ(text(Attribute::kMessageSizeIsEven, 1), "even message size \u2264 1 low: yes");
}

TEST(Picture, ATreeThatNobodyReadsIsRefused) {
  model::RuleTree tree;
  tree.methods = {{"linear", 0}};
  tree.roots = {{Collective::kBcast, 0}};
  for (std::uint32_t i = 0; i < 400; ++i) {
    tree.nodes.push_back({.threshold = i, .low = 2 * i + 1, .high = 2 * i + 2});
    tree.nodes.push_back({.method = 0});
  }
  tree.nodes.push_back({.method = 0});
  EXPECT_EQ(error_of([&] { draw_tree(tree, "", Background::kLight); }),
            "this tree has 401 leaves, too many to draw (at most 400); draw its map instead");
}

TEST(Picture, MapOfAModelAloneShowsEveryThreshold) {
  const model::Model model =
      model::rules_model({"s", "measured", {Collective::kBcast}, 1}, two_level_tree());
  const MethodMap map = chosen_map(model, Collective::kBcast);
  EXPECT_THAT(map.message_sizes, ::testing::IsSupersetOf({1, 2048, 2049, 4096}));
  EXPECT_THAT(map.communicator_sizes, ::testing::IsSupersetOf({2, 3, 4, 5, 6, 7, 8, 16}));
  const std::string svg = draw(decision_figure("", {map}, Background::kLight), Background::kLight);
  EXPECT_THAT(svg, HasSubstr("Binomial_1K"));
}

// Powers of two alone would show only even messages and no other large communicator.
TEST(Picture, MapOfAModelAloneShowsBothAnswersOfADerivedTest) {
  model::RuleTree tree = two_level_tree();
  tree.nodes = {
      {.attribute = Attribute::kCommunicatorSize, .threshold = 1000, .low = 1, .high = 2},
      {.attribute = Attribute::kMessageSizeIsEven, .threshold = 0, .low = 3, .high = 4},
      {.attribute = Attribute::kCommunicatorSizeIsPowerOfTwo, .threshold = 0, .low = 5, .high = 6},
      {.method = 0},
      {.method = 1},
      {.method = 0},
      {.method = 1}};
  const model::Model model = model::rules_model({"s", "measured", {Collective::kBcast}, 1}, tree);
  const MethodMap map = chosen_map(model, Collective::kBcast);
  const auto method = [&](std::uint64_t ranks, std::uint64_t bytes) -> std::string {
    const auto row = std::ranges::find(map.communicator_sizes, ranks);
    const auto column = std::ranges::find(map.message_sizes, bytes);
    if (row == map.communicator_sizes.end() || column == map.message_sizes.end()) return "nowhere";
    const auto first = (row - map.communicator_sizes.begin()) * std::ssize(map.message_sizes);
    return map.methods[static_cast<std::size_t>(first + (column - map.message_sizes.begin()))]
        .label();
  };
  EXPECT_EQ(method(2, 4096), "Binomial_1K");
  EXPECT_EQ(method(2, 4097), "Linear_0K");
  EXPECT_EQ(method(1024, 8192), "Binomial_1K");
  EXPECT_EQ(method(1025, 8192), "Linear_0K");
}

TEST(Picture, LeavesCurves) {
  const std::vector<LeavesCurve> curves = {
      {.name = "best", .points = {{1, 0.5}, {4, 0.01}}, .bound = {{4, 0.005}}, .frontier = true},
      {.name = "other", .points = {{2, 0.6}, {9, 0}}, .bound = {}}};
  const std::string svg =
      draw(leaves_figure("sizes", "mean", curves, Background::kLight), Background::kLight);
  EXPECT_THAT(svg, HasSubstr("<g class=\"best: no tree is below\">"));
  EXPECT_TRUE(well_formed(svg));
}

TEST(PictureFile, NamesAndThePngProgram) {
  EXPECT_EQ(error_of([] { check_picture_name("map.pdf"); }),
            "map.pdf: the name of a picture ends in .svg or .png");
  const std::string svg = draw_tree(two_level_tree(), "a tree", Background::kLight);
  const std::filesystem::path upper_case = fresh_path("tree.SVG");
  write_picture(upper_case, svg, 1);
  EXPECT_EQ(read_file(upper_case), svg);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  const std::string target = fresh_path("tree.png").string();
  EXPECT_EQ(error_of([&] { write_picture(target, svg, 1); }),
            target +
                ": a PNG needs the program rsvg-convert (Debian: librsvg2-bin): cannot start "
                "rsvg-convert: No such file or directory; or name a file that ends in .svg");
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_FALSE(std::filesystem::exists(target));
  if (std::system("command -v rsvg-convert > /dev/null") != 0) GTEST_SKIP() << "no rsvg-convert";
  write_picture(target, svg, 1);
  EXPECT_TRUE(read_file(target).starts_with("\x89PNG"));
}

}  // namespace
}  // namespace colltree::report
