// SPDX-License-Identifier: BSD-3-Clause
// The colours of methods in every picture: one hue an algorithm, shades for its segment sizes
// (larger is darker), as in the papers' maps: Linear red, Binomial green, Binary blue, SplitBinary
// grey, Pipeline yellow (2006, figure 2). Two methods of a palette differ in lightness too, so that
// a map can be read in grey; which of them is lighter is chosen so that colours that look alike to
// people with a colour vision deficiency lie far apart in lightness. The same set of methods has
// the same colours, in whatever order it is given.
// Good up to about a dozen methods: give it those that a picture shows, not all there are. Above 32
// the colours are still all different, but no longer arranged for any eye.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "coll/method.h"
#include "report/colour.h"

namespace colltree::report {

enum class Background : std::uint8_t { kLight, kDark };
// Lines are thin: none of them may be almost as light, or as dark, as the page.
enum class PaletteUse : std::uint8_t { kAreas, kLines };

class Palette {
 public:
  // Repetitions are allowed. "default" takes the colour of the text.
  // Cost: 32 methods some milliseconds, above that n log n.
  explicit Palette(std::vector<Method> methods, Background background = Background::kLight,
                   PaletteUse use = PaletteUse::kAreas);

  const std::vector<Method>& methods() const { return methods_; }  // in the order for a legend
  Colour of(const Method& method) const;  // throws Error for a method that is not in the palette

 private:
  std::vector<Method> methods_;
  std::map<Method, Colour> colours_;
};

// Text, lines and the page behind a picture.
Colour page_colour(Background background);
Colour text_colour(Background background);
Colour faint_colour(Background background);  // rules, ticks, what is not to be looked at first

// The steps of a penalty map (2007, figure 3: white below 5 %, yellow from 10 to 25 %, red from
// 50 %), in order; of the same order in grey.
struct PenaltyStep {
  double from;       // penalty as a fraction, inclusive; up to the next step
  const char* text;  // "below 5 %"
  Colour colour;
};
std::span<const PenaltyStep> penalty_steps(Background background);

}  // namespace colltree::report
