// SPDX-License-Identifier: BSD-3-Clause
#include "report/map_figure.h"

#include <fmt/format.h>

#include <cmath>

namespace colltree {

namespace {

// Borders between neighbours: half way, on the scale of the axis. The outer cells are symmetric.
std::vector<double> borders(const std::vector<double>& places, bool logarithmic) {
  const auto scaled = [&](double value) { return logarithmic ? std::log2(value) : value; };
  const auto value = [&](double place) { return logarithmic ? std::exp2(place) : place; };
  std::vector<double> result(places.size() + 1);
  for (std::size_t i = 1; i < places.size(); ++i) {
    result[i] = (scaled(places[i - 1]) + scaled(places[i])) / 2;
  }
  const double alone = 0.5;
  result.front() =
      scaled(places.front()) - (places.size() > 1 ? result[1] - scaled(places.front()) : alone);
  result.back() = scaled(places.back()) +
                  (places.size() > 1 ? scaled(places.back()) - result[places.size() - 1] : alone);
  for (double& border : result) border = value(border);
  return result;
}

struct Axes {
  Axis x;
  Axis y;
  std::vector<double> x_borders;
  std::vector<double> y_borders;
};

Axes axes_of(const MapPanel& panel, const Box& area) {
  std::vector<double> messages;
  for (const std::uint64_t size : panel.message_sizes) messages.push_back(message_place(size));
  const std::vector<double> ranks(panel.communicator_sizes.begin(), panel.communicator_sizes.end());
  Axes axes;
  axes.x_borders = borders(messages, true);
  axes.x = message_size_axis(axes.x_borders.front(), axes.x_borders.back(), area.width,
                             panel.message_sizes.front() == 0);
  axes.y = count_axis("communicator size", panel.communicator_sizes, area.height);
  axes.y_borders = borders(ranks, axes.y.scale == Scale::kLog2);
  axes.y.low = axes.y_borders.front();
  axes.y.high = axes.y_borders.back();
  return axes;
}

// Runs of equal cells along each row, as rectangles of one path for each entry of the key.
std::vector<std::string> cell_paths(const MapPanel& panel, const Axes& axes, const Box& area,
                                    std::size_t entries) {
  std::vector<std::string> paths(entries);
  const std::size_t columns = panel.message_sizes.size();
  const auto x = [&](std::size_t border) {
    return area.left + area.width * axes.x.place(axes.x_borders[border]);
  };
  const auto y = [&](std::size_t border) {
    return area.bottom() - area.height * axes.y.place(axes.y_borders[border]);
  };
  for (std::size_t row = 0; row < panel.communicator_sizes.size(); ++row) {
    for (std::size_t column = 0; column < columns;) {
      const std::uint16_t entry = panel.cells[row * columns + column];
      std::size_t end = column + 1;
      while (end < columns && panel.cells[row * columns + end] == entry) ++end;
      paths[entry] += fmt::format("M{} {}H{}V{}H{}z", svg_number(x(column)), svg_number(y(row + 1)),
                                  svg_number(x(end)), svg_number(y(row)), svg_number(x(column)));
      column = end;
    }
  }
  return paths;
}

void draw_dots(Svg& svg, const MapPanel& panel, const Axes& axes, const Box& area,
               const std::vector<LegendEntry>& key) {
  if (panel.dotted.empty()) return;
  svg.open("interpolated");
  const std::size_t columns = panel.message_sizes.size();
  for (std::size_t cell = 0; cell < panel.dotted.size(); ++cell) {
    if (panel.dotted[cell] == 0) continue;
    const double x = axes.x.place(message_place(panel.message_sizes[cell % columns]));
    const double y = axes.y.place(static_cast<double>(panel.communicator_sizes[cell / columns]));
    svg.circle({area.left + x * area.width, area.bottom() - y * area.height}, 0.9,
               {.fill = ink_on(key[panel.cells[cell]].colour)});
  }
  svg.close();
}

void draw_panel(Svg& svg, const MapPanel& panel, const MapFigure& figure, const Box& area,
                Background background) {
  svg.open("panel");
  draw_panel_title(svg, area, panel.title, panel.subtitle, background);
  const Axes axes = axes_of(panel, area);
  const std::vector<std::string> paths = cell_paths(panel, axes, area, figure.key.size());
  for (std::size_t entry = 0; entry < paths.size(); ++entry) {
    if (paths[entry].empty()) continue;
    svg.open(figure.key[entry].text);
    svg.path(paths[entry], {.fill = figure.key[entry].colour, .crisp = true});
    svg.close();
  }
  draw_dots(svg, panel, axes, area, figure.key);
  draw_axes(svg, area, axes.x, axes.y, false, background);
  svg.close();
}

}  // namespace

std::string draw(const MapFigure& figure, Background background) {
  std::vector<LegendEntry> legend = figure.key;
  legend.insert(legend.end(), figure.more.begin(), figure.more.end());
  const PanelStyle style{.columns = figure.columns};
  const Layout layout = lay_out(figure.panels.size(), style, figure.title, legend);
  Svg svg(layout.width, layout.height, page_colour(background), figure.title);
  draw_title(svg, figure.title, background);
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    draw_panel(svg, figure.panels[p], figure, layout.areas[p], background);
  }
  draw_legend(svg, layout.legend, layout.width - 2 * layout.legend.x + 58, legend, background);
  return svg.finish();
}

}  // namespace colltree
