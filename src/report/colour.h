// SPDX-License-Identifier: BSD-3-Clause
// Colours as the eye takes them: a space in which distances mean something, and what people with a
// colour vision deficiency, or a grey printer, make of a colour.
// Sources: B. Ottosson, "A perceptual color space for image processing" (OKLab, 2020);
// G. M. Machado et al., IEEE TVCG 15 (2009) 1291-1298 (simulation, severity 1).
#pragma once

#include <cstdint>
#include <string>

namespace colltree::report {

struct Colour {  // sRGB
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
  bool operator==(const Colour&) const = default;
};

std::string hex(Colour colour);  // "#0072b2"

struct OkLab {
  double lightness = 0;  // 0 black ... 1 white: what is left in grey
  double a = 0;
  double b = 0;
};

OkLab oklab(Colour colour);
// 0.02 is about the least difference that is seen side by side.
double distance(const OkLab& one, const OkLab& other);

// The colour of this lightness and hue (degrees) with the chroma wanted, or the most that a screen
// can show.
Colour colour_of(double lightness, double chroma, double hue);

enum class Vision : std::uint8_t { kNormal, kProtanopia, kDeuteranopia, kTritanopia };
inline constexpr Vision kVisions[] = {Vision::kNormal, Vision::kProtanopia, Vision::kDeuteranopia,
                                      Vision::kTritanopia};
Colour seen_with(Vision vision, Colour colour);

// Black or white, whichever is better to read on this colour.
Colour ink_on(Colour colour);

}  // namespace colltree::report
