// SPDX-License-Identifier: BSD-3-Clause
#include "report/line_looks.h"

namespace colltree {

LegendEntry line_look(std::string name, std::size_t index, Background background) {
  // Okabe and Ito's colours (2008), the readable ones on each background.
  static constexpr Colour kOnLight[] = {{0, 114, 178},  {213, 94, 0}, {0, 138, 100},
                                        {170, 68, 130}, {90, 90, 90}, {150, 110, 0}};
  static constexpr Colour kOnDark[] = {{86, 180, 233},  {255, 140, 66},  {54, 200, 150},
                                       {230, 150, 200}, {200, 200, 200}, {240, 228, 66}};
  constexpr std::size_t kCount = std::size(kOnLight);
  const Colour colour =
      background == Background::kLight ? kOnLight[index % kCount] : kOnDark[index % kCount];
  return {.text = std::move(name),
          .colour = colour,
          .mark = Mark::kLine,
          .dash = index % 2 == 1 ? "5 3" : "",
          .marker = static_cast<int>(index % 8)};
}

}  // namespace colltree
