// SPDX-License-Identifier: BSD-3-Clause
#include "measure/noise.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "base/error.h"
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

double fraction(std::string_view text, std::string_view part) {
  const auto value = parse_number<double>(text);
  if (!value || !(*value >= 0) || *value > 1000) {
    throw UsageError(fmt::format("--noise: '{}' is not a number from 0 up", part));
  }
  return *value;
}

}  // namespace

NoiseModel parse_noise(std::string_view text) {
  NoiseModel noise;
  if (text == "off") return noise;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    const std::string_view key = part.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? "" : part.substr(equals + 1);
    if (key == "spread") {
      noise.spread = fraction(value, part);
    } else if (key == "outliers") {
      noise.outliers = fraction(value, part);
    } else if (key == "factor") {
      noise.outlier_factor = fraction(value, part);
    } else if (const auto seed = parse_number<std::uint64_t>(value); key == "seed" && seed) {
      noise.seed = *seed;
    } else {
      throw UsageError(
          fmt::format("--noise: '{}' is not understood; write off or "
                      "spread=0.05,outliers=0.01,factor=10,seed=1",
                      part));
    }
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
  const double normal = std::sqrt(-2 * std::log(first)) * std::cos(2 * std::numbers::pi * second);
  // Log-normal: times have a floor and a tail. sinh(q s) = spread / 2 makes the quartile range
  // exact.
  const double sigma = std::asinh(noise.spread / 2) / kQuartile;
  double factor = std::exp(sigma * normal);
  if (uniform(state = splitmix(state)) < noise.outliers) {
    factor *= 1 + (noise.outlier_factor - 1) * uniform(splitmix(state));
  }
  return factor;
}

}  // namespace colltree
