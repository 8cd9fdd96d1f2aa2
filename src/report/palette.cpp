// SPDX-License-Identifier: BSD-3-Clause
#include "report/palette.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>
#include <string>
#include <tuple>

#include "base/error.h"
#include "base/random.h"

namespace colltree::report {

namespace {

struct Family {
  double hue;  // degrees
  double chroma;
  double lightness;  // at which people call it by its name
  std::vector<std::string_view> algorithms;
  bool synonyms = false;  // its algorithms are one: they share the hue
};

// The order is that of legends. An algorithm that no family names takes the first free one.
const std::vector<Family>& families() {
  static const std::vector<Family> all = {
      {27, 0.21, 0.60, {"linear", "basic_linear", "flat_tree", "flat"}, true},
      {150, 0.14, 0.66, {"binomial", "binomial_tree"}, true},
      {260, 0.17, 0.50, {"binary", "binary_tree", "in_order_binary"}, true},
      {260, 0.008, 0.70, {"split_binary", "split_binary_tree"}, true},
      {98, 0.18, 0.87, {"pipeline"}},
      {330, 0.20, 0.60, {"chain", "ring"}},
      {210, 0.12, 0.70, {"bruck", "knomial"}},
      {58, 0.17, 0.72, {"scatter_allgather", "recursive_doubling", "pairwise"}},
      {300, 0.20, 0.50, {"rabenseifner", "scatter_allgather_ring"}},
      {120, 0.16, 0.75, {}},
      {180, 0.12, 0.60, {}},
      {0, 0.14, 0.80, {}},
  };
  return all;
}

Family family(std::size_t index) {
  if (index < families().size()) return families()[index];
  constexpr double kGoldenAngle = 137.508;  // hues never repeat
  return {std::fmod(kGoldenAngle * static_cast<double>(index), 360), 0.13, 0.65, {}, false};
}

// How alike two colours are to the eye that tells them apart worst.
double likeness(Colour one, Colour other) {
  double least = 1;
  for (const Vision vision : kVisions) {
    least =
        std::min(least, distance(oklab(seen_with(vision, one)), oklab(seen_with(vision, other))));
  }
  return std::pow(std::max(least, 1e-3), -4);
}

// Lightness levels, one a method. The darkest and the lightest still show a hue.
std::vector<double> levels(std::size_t count, Background background, PaletteUse use) {
  const bool light = background == Background::kLight;
  const bool lines = use == PaletteUse::kLines;
  const double lowest = light ? 0.42 : lines ? 0.52 : 0.40;
  const double highest = light ? (lines ? 0.78 : 0.91) : 0.94;
  const double middle = (lowest + highest) / 2;
  constexpr double kWidestStep = 0.11;  // few methods need no extremes
  const double step =
      count < 2 ? 0 : std::min(kWidestStep, (highest - lowest) / static_cast<double>(count - 1));
  std::vector<double> result;
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back(middle + step * (static_cast<double>(i) - static_cast<double>(count - 1) / 2));
  }
  return result;
}

// Deals the levels to the methods: starts from lightness as preferred and exchanges two levels as
// long as that makes the colours less alike.
class Dealer {
 public:
  Dealer(std::vector<std::size_t> family_of_method, std::vector<double> levels)
      : families_(std::move(family_of_method)), levels_(std::move(levels)) {
    std::vector<std::size_t> preferred(count());
    for (std::size_t m = 0; m < count(); ++m) preferred[m] = m;
    std::ranges::stable_sort(preferred, {},
                             [&](std::size_t m) { return family(families_[m]).lightness; });
    level_.resize(count());
    for (std::size_t l = 0; l < count(); ++l) level_[preferred[l]] = l;
    prepare();
  }

  std::vector<Colour> deal() {
    // The exchange stops at the first arrangement that no single exchange improves; other starts
    // find others. Above this number of methods no arrangement is good, so time counts.
    constexpr std::size_t kMostForStarts = 16;
    const int starts = count() <= kMostForStarts ? 12 : 1;
    SeededRandom random(1);
    double least = improve(level_);
    for (int start = 1; start < starts; ++start) {
      std::vector<std::size_t> other = random.permutation(count());
      const double value = improve(other);
      if (value >= least * kSmaller) continue;
      least = value;
      level_ = std::move(other);
    }
    std::vector<Colour> colours;
    for (std::size_t m = 0; m < count(); ++m) colours.push_back(colour(families_[m], level_[m]));
    return colours;
  }

 private:
  static constexpr double kSmaller = 1 - 1e-9;  // rounding decides nothing

  std::size_t count() const { return families_.size(); }

  // Exchanges levels for the better until none is left; returns the cost.
  double improve(std::vector<std::size_t>& level) const {
    order_shades(level);
    double best = cost(level);
    for (bool better = true; better;) {
      better = false;
      for (std::size_t one = 0; one < count(); ++one) {
        for (std::size_t other = one + 1; other < count(); ++other) {
          if (families_[one] == families_[other]) continue;
          std::vector<std::size_t> tried = level;
          std::swap(tried[one], tried[other]);
          order_shades(tried);
          const double value = cost(tried);
          if (value >= best * kSmaller) continue;
          best = value;
          level = std::move(tried);
          better = true;
        }
      }
    }
    return best;
  }

  Colour colour(std::size_t family_index, std::size_t level) const {
    const Family of = family(family_index);
    return colour_of(levels_[level], of.chroma, of.hue);
  }

  // Methods are sorted by family, then segment size: the smallest takes the lightest level.
  void order_shades(std::vector<std::size_t>& level) const {
    for (std::size_t first = 0; first < count();) {
      std::size_t end = first;
      while (end < count() && families_[end] == families_[first]) ++end;
      std::sort(level.begin() + static_cast<std::ptrdiff_t>(first),
                level.begin() + static_cast<std::ptrdiff_t>(end), std::greater());
      first = end;
    }
  }

  // Likeness of every (family, level) with every other one, computed once.
  void prepare() {
    kinds_ = families_;
    kinds_.erase(std::unique(kinds_.begin(), kinds_.end()), kinds_.end());
    kind_of_.resize(count());
    for (std::size_t m = 0; m < count(); ++m) {
      kind_of_[m] =
          static_cast<std::size_t>(std::ranges::find(kinds_, families_[m]) - kinds_.begin());
    }
    std::vector<Colour> all;
    for (const std::size_t kind : kinds_) {
      for (std::size_t l = 0; l < count(); ++l) all.push_back(colour(kind, l));
    }
    likeness_.assign(all.size() * all.size(), 0);
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = i + 1; j < all.size(); ++j) {
        likeness_[i * all.size() + j] = likeness_[j * all.size() + i] = likeness(all[i], all[j]);
      }
    }
  }

  double cost(const std::vector<std::size_t>& level) const {
    constexpr double kPreference = 4e4;  // 0.2 off is as bad as a pair 0.16 apart
    constexpr double kShades = 6;        // shades of one hue often meet in a map
    double sum = 0;
    const std::size_t all = kinds_.size() * count();
    const auto index = [&](std::size_t m) { return kind_of_[m] * count() + level[m]; };
    for (std::size_t m = 0; m < count(); ++m) {
      const double off = levels_[level[m]] - family(families_[m]).lightness;
      sum += kPreference * off * off;
      for (std::size_t n = m + 1; n < count(); ++n) {
        const double alike = likeness_[index(m) * all + index(n)];
        sum += families_[m] == families_[n] ? kShades * alike : alike;
      }
    }
    return sum;
  }

  std::vector<std::size_t> families_;  // by method
  std::vector<double> levels_;         // dark to light
  std::vector<std::size_t> level_;     // by method
  std::vector<std::size_t> kinds_;     // the families, each once
  std::vector<std::size_t> kind_of_;   // by method
  std::vector<double> likeness_;
};

// The order of the methods from light to dark when there are too many to try arrangements: first
// every family's first method, then every family's second, so that shades of one hue lie far apart.
std::vector<std::size_t> in_turns(const std::vector<std::size_t>& families) {
  std::vector<std::size_t> turn(families.size(), 0);
  for (std::size_t m = 1; m < families.size(); ++m) {
    if (families[m] == families[m - 1]) turn[m] = turn[m - 1] + 1;
  }
  std::vector<std::size_t> order(families.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t m) {
    return std::tuple(turn[m], -family(families[m]).lightness);
  });
  return order;
}

// The colour, or the nearest that nobody has: one step of green after the other, then of blue.
Colour not_taken(Colour colour, std::set<std::tuple<int, int, int>>& taken) {
  while (!taken.emplace(colour.red, colour.green, colour.blue).second) {
    ++colour.green;
    if (colour.green == 0) ++colour.blue;
  }
  return colour;
}

// Cost: n log n, where a Dealer needs the square of (families x methods).
std::vector<Colour> deal_in_turns(const std::vector<std::size_t>& families,
                                  const std::vector<double>& dark_to_light) {
  std::vector<Colour> colours(families.size());
  std::set<std::tuple<int, int, int>> taken;
  std::size_t level = dark_to_light.size();
  for (const std::size_t m : in_turns(families)) {
    const Family of = family(families[m]);
    colours[m] = not_taken(colour_of(dark_to_light[--level], of.chroma, of.hue), taken);
  }
  return colours;
}

// For each algorithm its family: the one that names it, unless another algorithm of the set that is
// no synonym has it.
std::map<std::string, std::size_t> hue_families(const std::vector<Method>& methods) {
  std::map<std::string, std::size_t> result;
  std::vector<std::string> homeless;
  std::vector<bool> taken(families().size(), false);
  for (const Method& method : methods) result.emplace(method.name(), SIZE_MAX);
  // By families, then by their names: "linear" goes before "basic_linear", whatever the set.
  for (std::size_t f = 0; f < families().size(); ++f) {
    for (const std::string_view algorithm : families()[f].algorithms) {
      const auto found = result.find(std::string(algorithm));
      if (found == result.end() || (taken[f] && !families()[f].synonyms)) continue;
      found->second = f;
      taken[f] = true;
    }
  }
  std::size_t next = 0;
  for (auto& [algorithm, index] : result) {
    if (index != SIZE_MAX) continue;
    while (next < taken.size() && taken[next]) ++next;
    index = next++;
  }
  return result;
}

// A colour for each method. Methods are sorted by family, then from the lightest to the darkest.
std::vector<Colour> deal_shades(const std::vector<std::size_t>& family_of_method,
                                Background background, PaletteUse use) {
  // More colours than these nobody tells apart; arranging them would cost seconds, then memory.
  constexpr std::size_t kMostArranged = 32;
  const std::vector<double> lightness = levels(family_of_method.size(), background, use);
  return family_of_method.size() <= kMostArranged ? Dealer(family_of_method, lightness).deal()
                                                  : deal_in_turns(family_of_method, lightness);
}

}  // namespace

Palette::Palette(std::vector<Method> methods, Background background, PaletteUse use) {
  std::ranges::sort(methods);
  methods.erase(std::unique(methods.begin(), methods.end()), methods.end());
  std::vector<Method> coloured;
  std::ranges::remove_copy_if(methods, std::back_inserter(coloured), is_library_default);
  const std::map<std::string, std::size_t> family_of = hue_families(coloured);
  std::ranges::stable_sort(coloured, {},
                           [&](const Method& method) { return family_of.at(method.name()); });
  std::vector<std::size_t> families_by_method;
  for (const Method& method : coloured) {
    families_by_method.push_back(family_of.at(method.name()));
  }
  const std::vector<Colour> shades = deal_shades(families_by_method, background, use);
  for (std::size_t m = 0; m < coloured.size(); ++m) colours_.emplace(coloured[m], shades[m]);
  methods_ = std::move(coloured);
  for (const Method& method : methods) {
    if (!is_library_default(method)) continue;
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

}  // namespace colltree::report
