// SPDX-License-Identifier: BSD-3-Clause
#include "report/palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "report/shades.h"

namespace colltree {

Palette::Palette(std::vector<Method> methods, Background background, PaletteUse use) {
  std::ranges::sort(methods);
  methods.erase(std::unique(methods.begin(), methods.end()), methods.end());
  const auto is_default = [](const Method& method) {
    return method.algorithm == kDefaultAlgorithm;
  };
  std::vector<Method> coloured;
  std::ranges::remove_copy_if(methods, std::back_inserter(coloured), is_default);
  const std::map<std::string, std::size_t> family_of = hue_families(coloured);
  std::ranges::stable_sort(coloured, {},
                           [&](const Method& method) { return family_of.at(method.algorithm); });
  std::vector<std::size_t> families_by_method;
  for (const Method& method : coloured) {
    families_by_method.push_back(family_of.at(method.algorithm));
  }
  const std::vector<Colour> shades = deal_shades(families_by_method, background, use);
  for (std::size_t m = 0; m < coloured.size(); ++m) colours_.emplace(coloured[m], shades[m]);
  methods_ = std::move(coloured);
  for (const Method& method : methods) {
    if (!is_default(method)) continue;
    methods_.push_back(method);
    colours_.emplace(method, text_colour(background));
  }
}

Colour Palette::of(const Method& method) const {
  const auto found = colours_.find(method);
  if (found == colours_.end())
    throw Error(fmt::format("{}: has no colour in this picture", method.label()));
  return found->second;
}

Colour page_colour(Background background) {
  return background == Background::kLight ? Colour{255, 255, 255} : Colour{22, 24, 29};
}

Colour text_colour(Background background) {
  return background == Background::kLight ? Colour{34, 34, 34} : Colour{226, 228, 233};
}

Colour faint_colour(Background background) {
  return background == Background::kLight ? Colour{208, 210, 214} : Colour{74, 78, 88};
}

std::span<const PenaltyStep> penalty_steps(Background background) {
  static constexpr PenaltyStep kLight[] = {{0, "below 5 %", {255, 255, 255}},
                                           {0.05, "5 to 10 %", {255, 236, 150}},
                                           {0.10, "10 to 25 %", {250, 205, 50}},
                                           {0.25, "25 to 50 %", {238, 124, 38}},
                                           {0.50, "50 % and more", {178, 24, 43}}};
  static constexpr PenaltyStep kDark[] = {{0, "below 5 %", {38, 41, 49}},
                                          {0.05, "5 to 10 %", {105, 82, 28}},
                                          {0.10, "10 to 25 %", {176, 134, 16}},
                                          {0.25, "25 to 50 %", {240, 146, 66}},
                                          {0.50, "50 % and more", {255, 190, 190}}};
  return background == Background::kLight ? std::span<const PenaltyStep>(kLight) : kDark;
}

Colour penalty_colour(double penalty, Background background) {
  const std::span<const PenaltyStep> steps = penalty_steps(background);
  std::size_t step = steps.size() - 1;
  while (step > 0 && !(penalty >= steps[step].from)) --step;
  return steps[step].colour;
}

}  // namespace colltree
