// SPDX-License-Identifier: BSD-3-Clause
#include "report/table_figure.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace colltree {

namespace {

constexpr double kMargin = 16;
constexpr double kTitle = 30;
constexpr double kRowTitles = 118;
constexpr double kRow = 22;

std::vector<std::size_t> evenly(std::size_t of, std::size_t most) {
  std::vector<std::size_t> taken;
  const std::size_t count = std::min(of, most);
  for (std::size_t i = 0; i < count; ++i) {
    taken.push_back(count == 1 ? 0 : i * (of - 1) / (count - 1));
  }
  return taken;
}

}  // namespace

std::string draw_table(const MethodMap& map, std::size_t most_rows, std::size_t most_columns,
                       const std::string& title, Background background) {
  const std::vector<std::size_t> rows = evenly(map.communicator_sizes.size(), most_rows);
  const std::vector<std::size_t> columns = evenly(map.message_sizes.size(), most_columns);
  const Palette palette(map.methods, background);
  double cell = 60;
  for (const Method& method : palette.methods()) {
    cell = std::max(cell, text_width(method.label(), 10.5) + 14);
  }
  const double top = kMargin + kTitle + 2 * kRow;
  const double left = kMargin + kRowTitles;
  const Colour text = text_colour(background);
  Svg svg(left + cell * static_cast<double>(columns.size()) + kMargin,
          top + kRow * static_cast<double>(rows.size()) + kMargin, page_colour(background), title);
  draw_title(svg, title, background);
  svg.text({left, top - kRow - 6}, "message size", {.size = 11, .colour = text});
  svg.text({kMargin, top - 6}, "communicator size", {.size = 11, .colour = text});
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::uint64_t size = map.message_sizes[columns[c]];
    svg.text({left + cell * (static_cast<double>(c) + 0.5), top - 6},
             size == 0 ? "0" : format_bytes(size),
             {.size = 10.5, .colour = text, .anchor = Anchor::kMiddle});
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double y = top + kRow * static_cast<double>(r);
    svg.text({left - 10, y + 15}, fmt::format("{}", map.communicator_sizes[rows[r]]),
             {.size = 10.5, .colour = text, .anchor = Anchor::kEnd});
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Method& method = map.methods[rows[r] * map.message_sizes.size() + columns[c]];
      const Colour colour = palette.of(method);
      const double x = left + cell * static_cast<double>(c);
      svg.rect({x, y, cell, kRow}, {.fill = colour, .stroke = page_colour(background), .width = 1});
      svg.text({x + cell / 2, y + 15}, method.label(),
               {.size = 10.5, .colour = ink_on(colour), .anchor = Anchor::kMiddle});
    }
  }
  return svg.finish();
}

}  // namespace colltree
