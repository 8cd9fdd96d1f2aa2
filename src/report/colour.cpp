// SPDX-License-Identifier: BSD-3-Clause
#include "report/colour.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace colltree::report {

namespace {

struct Linear {  // light, 0 ... 1 in gamut
  double red, green, blue;
};

double to_light(std::uint8_t code) {
  const double value = code / 255.0;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

std::uint8_t to_code(double light) {
  const double clamped = std::clamp(light, 0.0, 1.0);
  const double value =
      clamped <= 0.0031308 ? 12.92 * clamped : 1.055 * std::pow(clamped, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255 * value));
}

Linear linear(Colour colour) {
  return {to_light(colour.red), to_light(colour.green), to_light(colour.blue)};
}

Colour encoded(const Linear& light) {
  return {to_code(light.red), to_code(light.green), to_code(light.blue)};
}

double cubed(double value) { return value * value * value; }

Linear light_of(const OkLab& lab) {
  const double l = cubed(lab.lightness + 0.3963377774 * lab.a + 0.2158037573 * lab.b);
  const double m = cubed(lab.lightness - 0.1055613458 * lab.a - 0.0638541728 * lab.b);
  const double s = cubed(lab.lightness - 0.0894841775 * lab.a - 1.2914855480 * lab.b);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

bool in_gamut(const Linear& light) {
  constexpr double kSlack = 1e-6;
  const auto fits = [](double value) { return value >= -kSlack && value <= 1 + kSlack; };
  return fits(light.red) && fits(light.green) && fits(light.blue);
}

// What each kind of vision makes of linear light, row by row.
struct Machado {
  double row[3][3];
};
constexpr Machado kSeen[] = {
    {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {{{0.152286, 1.052583, -0.204868},
      {0.114503, 0.786281, 0.099216},
      {-0.003882, -0.048116, 1.051998}}},
    {{{0.367322, 0.860646, -0.227968},
      {0.280085, 0.672501, 0.047413},
      {-0.011820, 0.042940, 0.968881}}},
    {{{1.255528, -0.076749, -0.178779},
      {-0.078411, 0.930809, 0.147602},
      {0.004733, 0.691367, 0.303900}}},
};

}  // namespace

std::string hex(Colour colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue);
}

OkLab oklab(Colour colour) {
  const Linear rgb = linear(colour);
  const double l =
      std::cbrt(0.4122214708 * rgb.red + 0.5363325363 * rgb.green + 0.0514459929 * rgb.blue);
  const double m =
      std::cbrt(0.2119034982 * rgb.red + 0.6806995451 * rgb.green + 0.1073969566 * rgb.blue);
  const double s =
      std::cbrt(0.0883024619 * rgb.red + 0.2817188376 * rgb.green + 0.6299787005 * rgb.blue);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

double distance(const OkLab& one, const OkLab& other) {
  return std::hypot(one.lightness - other.lightness, one.a - other.a, one.b - other.b);
}

Colour colour_of(double lightness, double chroma, double hue) {
  const double angle = hue * std::numbers::pi / 180;
  const auto light_with = [&](double some) {
    return light_of({lightness, some * std::cos(angle), some * std::sin(angle)});
  };
  if (in_gamut(light_with(chroma))) return encoded(light_with(chroma));
  double low = 0;
  double high = chroma;
  for (int step = 0; step < 20; ++step) {
    const double middle = (low + high) / 2;
    (in_gamut(light_with(middle)) ? low : high) = middle;
  }
  return encoded(light_with(low));
}

Colour seen_with(Vision vision, Colour colour) {
  const Linear rgb = linear(colour);
  const auto& row = kSeen[static_cast<std::size_t>(vision)].row;
  const auto part = [&](int i) {
    return row[i][0] * rgb.red + row[i][1] * rgb.green + row[i][2] * rgb.blue;
  };
  return encoded({part(0), part(1), part(2)});
}

Colour ink_on(Colour colour) {
  return oklab(colour).lightness > 0.62 ? Colour{0, 0, 0} : Colour{255, 255, 255};
}

}  // namespace colltree::report
