// SPDX-License-Identifier: BSD-3-Clause
#include "report/palette.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "coll/catalogue.h"
#include "report/method_maps.h"

namespace colltree::report {
namespace {

Method method(const char* algorithm, std::optional<std::uint64_t> segment_size) {
  return {algorithm, segment_size};
}

// What wins on Grig (2006, figure 2), and one of each family.
const std::vector<Method> kPaper = {method("linear", 0),          method("binomial", 0),
                                    method("binomial", 1024),     method("binary", 1024),
                                    method("split_binary", 1024), method("pipeline", 1024),
                                    method("pipeline", 8192)};
const std::vector<Method> kOpenMpi = {method("basic_linear", {}), method("binary", {}),
                                      method("binomial", {}),     method("chain", {}),
                                      method("knomial", {}),      method("pipeline", {}),
                                      method("split_binary", {}), method("scatter_allgather", {})};

std::vector<Method> dozen() {
  std::vector<Method> methods = kPaper;
  for (const std::uint64_t segment : {8192, 32768}) {
    methods.push_back(method("binary", segment));
    methods.push_back(method("split_binary", segment));
  }
  methods.push_back(method("split_binary", 0));
  return methods;
}

double least_distance(const Palette& palette, Vision vision) {
  double least = 1;
  const std::vector<Method>& methods = palette.methods();
  for (std::size_t i = 0; i < methods.size(); ++i) {
    for (std::size_t j = i + 1; j < methods.size(); ++j) {
      least = std::min(least, distance(oklab(seen_with(vision, palette.of(methods[i]))),
                                       oklab(seen_with(vision, palette.of(methods[j])))));
    }
  }
  return least;
}

double least_step_in_grey(const Palette& palette) {
  std::vector<double> lightness;
  for (const Method& one : palette.methods()) {
    lightness.push_back(oklab(palette.of(one)).lightness);
  }
  std::ranges::sort(lightness);
  double least = 1;
  for (std::size_t i = 1; i < lightness.size(); ++i) {
    least = std::min(least, lightness[i] - lightness[i - 1]);
  }
  return least;
}

double hue(Colour colour) {
  const OkLab lab = oklab(colour);
  return std::atan2(lab.b, lab.a);
}

double angle_between(double one, double other) {
  return std::abs(std::remainder(one - other, 2 * std::acos(-1.0)));
}

TEST(Colour, SpaceAndSimulationAgreeWithTheirSources) {
  EXPECT_NEAR(oklab({255, 255, 255}).lightness, 1, 1e-3);
  EXPECT_NEAR(oklab({255, 0, 0}).lightness, 0.628, 1e-3);
  EXPECT_NEAR(oklab({255, 0, 0}).a, 0.225, 1e-3);
  EXPECT_NEAR(oklab({255, 0, 0}).b, 0.126, 1e-3);
  for (const Vision vision : kVisions) {
    EXPECT_LT(distance(oklab(seen_with(vision, {128, 128, 128})), oklab({128, 128, 128})), 0.005);
  }
  // Red against green of the same lightness: far apart for most, alike with deuteranopia.
  const Colour red = colour_of(0.6, 0.12, 25);
  const Colour green = colour_of(0.6, 0.12, 140);
  EXPECT_GT(distance(oklab(red), oklab(green)), 0.15);
  EXPECT_LT(distance(oklab(seen_with(Vision::kDeuteranopia, red)),
                     oklab(seen_with(Vision::kDeuteranopia, green))),
            0.08);
  EXPECT_NEAR(oklab(colour_of(0.3, 0.4, 100)).lightness, 0.3, 0.01);  // out of gamut
  EXPECT_EQ(hex({0, 114, 178}), "#0072b2");
}

TEST(Palette, MethodsAreToldApartByEveryEyeAndInGrey) {
  for (const Background background : {Background::kLight, Background::kDark}) {
    for (const Vision vision : kVisions) {
      EXPECT_GT(least_distance(Palette(kPaper, background), vision), 0.09) << int(vision);
      EXPECT_GT(least_distance(Palette(kOpenMpi, background), vision), 0.08) << int(vision);
      EXPECT_GT(least_distance(Palette(dozen(), background), vision), 0.05) << int(vision);
    }
    EXPECT_GT(least_step_in_grey(Palette(kPaper, background)), 0.07);
    EXPECT_GT(least_step_in_grey(Palette(kOpenMpi, background)), 0.06);
    EXPECT_GT(least_step_in_grey(Palette(dozen(), background)), 0.035);
  }
}

TEST(Palette, AlgorithmsKeepTheHuesOfThePaper) {
  const Palette palette(kPaper);
  const auto hue_of = [&](const char* name, std::uint64_t segment) {
    return hue(palette.of(method(name, segment)));
  };
  EXPECT_LT(angle_between(hue_of("linear", 0), hue({200, 30, 30})), 0.2);
  EXPECT_LT(angle_between(hue_of("binary", 1024), hue({30, 60, 200})), 0.2);
  EXPECT_LT(angle_between(hue_of("pipeline", 1024), hue({240, 220, 0})), 0.25);
  EXPECT_LT(angle_between(hue_of("binomial", 0), hue_of("binomial", 1024)), 0.1);
  const OkLab grey = oklab(palette.of(method("split_binary", 1024)));
  EXPECT_LT(std::hypot(grey.a, grey.b), 0.02);
  EXPECT_GT(oklab(palette.of(method("binomial", 0))).lightness,
            oklab(palette.of(method("binomial", 1024))).lightness);
}

TEST(Palette, SynonymsShareAHueOthersDoNot) {
  const Palette palette(
      {method("linear", {}), method("basic_linear", {}), method("chain", {}), method("ring", {})});
  const auto hue_of = [&](const char* name) { return hue(palette.of(method(name, {}))); };
  EXPECT_LT(angle_between(hue_of("linear"), hue_of("basic_linear")), 0.15);
  EXPECT_GT(angle_between(hue_of("chain"), hue_of("ring")), 0.4);
}

TEST(Palette, LinesStandOutFromThePage) {
  for (const Background background : {Background::kLight, Background::kDark}) {
    const double page = oklab(page_colour(background)).lightness;
    const Palette palette(dozen(), background, PaletteUse::kLines);
    for (const Method& one : palette.methods()) {
      EXPECT_GT(std::abs(oklab(palette.of(one)).lightness - page), 0.2) << one.label();
    }
  }
}

TEST(Palette, DependsOnTheSetAlone) {
  std::vector<Method> shuffled = dozen();
  std::ranges::reverse(shuffled);
  shuffled.push_back(shuffled.front());
  const Palette one(dozen());
  const Palette other(shuffled);
  EXPECT_EQ(one.methods(), other.methods());
  EXPECT_EQ(one.methods().front(), method("linear", 0));
  for (const Method& each : one.methods()) EXPECT_EQ(one.of(each), other.of(each));
}

TEST(Palette, EveryMethodOfTheCatalogueAndStrangersGetTheirOwn) {
  std::vector<Method> methods = portable_methods(Collective::kBcast, paper_segment_sizes());
  for (const char* stranger : {"a", "b", "c", "d", "e", "f", "g", "h", "i"}) {
    methods.push_back(method(stranger, {}));
  }
  const Palette palette(methods);
  for (std::size_t i = 0; i < methods.size(); ++i) {
    for (std::size_t j = i + 1; j < methods.size(); ++j) {
      EXPECT_NE(palette.of(methods[i]), palette.of(methods[j]));
    }
  }
}

// Every algorithm of an imported profile with several segment sizes: (families x methods)^2 would
// be a terabyte.
TEST(Palette, HundredsOfAlgorithmsWithSegmentsGetTheirOwn) {
  std::vector<Method> methods;
  for (int algorithm = 0; algorithm < 255; ++algorithm) {
    for (const std::uint64_t segment : {0, 1024, 8192, 65536, 1048576}) {
      methods.push_back(method(("algorithm" + std::to_string(algorithm)).c_str(), segment));
    }
  }
  for (const Background background : {Background::kLight, Background::kDark}) {
    const Palette palette(methods, background);
    std::set<std::string> colours;
    for (const Method& one : methods) colours.insert(hex(palette.of(one)));
    EXPECT_EQ(colours.size(), methods.size());
    for (std::size_t m = 1; m < methods.size(); ++m) {
      if (methods[m].algorithm != methods[m - 1].algorithm) continue;
      EXPECT_GT(oklab(palette.of(methods[m - 1])).lightness,
                oklab(palette.of(methods[m])).lightness);
    }
  }
}

TEST(Palette, DefaultIsTheColourOfTextAndOthersAreRefused) {
  const Palette palette({method("default", {}), method("linear", 0)});
  EXPECT_EQ(palette.of(method("default", {})), text_colour(Background::kLight));
  EXPECT_EQ(palette.methods().back(), method("default", {}));
  try {
    palette.of(method("binary", 1024));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "Binary_1K: has no colour in this picture");
  }
  EXPECT_TRUE(Palette({}).methods().empty());
}

TEST(PenaltyColours, StepsOfThePaperDarkenInGrey) {
  EXPECT_EQ(penalty_entry(0), 0);
  EXPECT_EQ(penalty_entry(0.0499), 0);
  EXPECT_EQ(penalty_entry(0.05), 1);
  EXPECT_EQ(penalty_steps(Background::kLight)[0].colour, (Colour{255, 255, 255}));
  for (const Background background : {Background::kLight, Background::kDark}) {
    const auto steps = penalty_steps(background);
    EXPECT_EQ(penalty_entry(9), steps.size() - 1);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      EXPECT_EQ(penalty_entry(steps[i].from), i);
      if (i == 0) continue;
      const double change = oklab(steps[i].colour).lightness - oklab(steps[i - 1].colour).lightness;
      EXPECT_GT(background == Background::kLight ? -change : change, 0.03);
      for (const Vision vision : kVisions) {
        EXPECT_GT(distance(oklab(seen_with(vision, steps[i].colour)),
                           oklab(seen_with(vision, steps[i - 1].colour))),
                  0.06);
      }
    }
  }
}

TEST(Colour, InkIsReadable) {
  EXPECT_EQ(ink_on({255, 240, 100}), (Colour{0, 0, 0}));
  EXPECT_EQ(ink_on({20, 30, 90}), (Colour{255, 255, 255}));
}

}  // namespace
}  // namespace colltree::report
