// SPDX-License-Identifier: BSD-3-Clause
#include "measure/noise.h"

#include <fmt/core.h>

#include <cmath>
#include <set>

#include "base/bounds.h"
#include "base/error.h"
#include "base/random.h"
#include "base/text.h"

namespace colltree {

namespace {

// Quartiles of the standard normal distribution lie at +-0.67449.
constexpr double kQuartile = 0.6744897501960817;

std::uint64_t splitmix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

std::uint64_t hash_text(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return hash;
}

double uniform(std::uint64_t bits) { return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53; }

// The words of --noise.
struct Word {
  std::string_view name;
  RealRange range;
  double NoiseModel::*value;
};

constexpr Word kWords[] = {{"spread", {0, 1000}, &NoiseModel::spread},
                           {"outliers", {0, 1}, &NoiseModel::outliers},
                           {"factor", {1, 1e6}, &NoiseModel::outlier_factor}};

void read_word(std::string_view name, std::string_view value, std::string_view part,
               NoiseModel& noise) {
  for (const Word& word : kWords) {
    if (name != word.name) continue;
    noise.*word.value = parse_real(value, word.range, fmt::format("--noise: {}", name));
    return;
  }
  if (name != "seed") {
    throw UsageError(
        fmt::format("--noise: '{}' is not understood; write off or "
                    "spread=0.05,outliers=0.01,factor=10,seed=1",
                    part));
  }
  noise.seed = parse_whole(value, {}, "--noise: seed");
}

}  // namespace

NoiseModel parse_noise(std::string_view text) {
  NoiseModel noise;
  if (text == "off") return noise;
  std::set<std::string_view> seen;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    const std::string_view name = part.substr(0, equals);
    if (!seen.insert(name).second)
      throw UsageError(fmt::format("--noise: {}: given twice; give it once", name));
    read_word(name, equals == std::string_view::npos ? "" : part.substr(equals + 1), part, noise);
  }
  return noise;
}

std::string format_noise(const NoiseModel& noise) {
  if (noise.off()) return "off";
  return fmt::format("spread={},outliers={},factor={},seed={}", format_double(noise.spread),
                     format_double(noise.outliers), format_double(noise.outlier_factor),
                     noise.seed);
}

double noise_factor(const NoiseModel& noise, std::string_view cell, std::uint64_t repetition) {
  if (noise.off()) return 1;
  std::uint64_t state = splitmix(noise.seed ^ splitmix(hash_text(cell) + repetition));
  const double first = uniform(state);
  const double second = uniform(state = splitmix(state));
  // Log-normal: times have a floor and a tail. sinh(q s) = spread / 2 makes the quartile range
  // exact.
  const double sigma = std::asinh(noise.spread / 2) / kQuartile;
  double factor = std::exp(sigma * normal_of(first, second));
  if (uniform(state = splitmix(state)) < noise.outliers) {
    factor *= 1 + (noise.outlier_factor - 1) * uniform(splitmix(state));
  }
  return factor;
}

}  // namespace colltree
