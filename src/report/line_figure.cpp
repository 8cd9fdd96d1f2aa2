// SPDX-License-Identifier: BSD-3-Clause
#include "report/line_figure.h"

#include <algorithm>

namespace colltree {

namespace {

constexpr double kMarkerSize = 2.7;

class PanelDrawing {
 public:
  PanelDrawing(Svg& svg, const LinePanel& panel, const Box& area, Background background)
      : svg_(svg), panel_(panel), area_(area), background_(background) {}

  void draw_series(const Series& series) const {
    svg_.open(series.look.text.empty() ? "series" : series.look.text);
    const Paint bar{.stroke = series.look.colour, .width = 1, .opacity = 0.75};
    for (std::size_t i = 0; i < series.intervals.size(); ++i) {
      const double x = series.points[i].x;
      const Point low = place({x, series.intervals[i].low});
      const Point high = place({x, series.intervals[i].high});
      if (low.y - high.y > 1) svg_.line(low, high, bar);
    }
    svg_.polyline(
        corners(series),
        {.stroke = series.look.colour, .width = series.look.width, .dash = series.look.dash});
    for (const Point& point : series.points) {
      draw_marker(svg_, place(point), series.look.marker, kMarkerSize, series.look.colour,
                  page_colour(background_));
    }
    svg_.close();
  }

 private:
  Point place(Point value) const {
    return {area_.left + panel_.x.place(value.x) * area_.width,
            area_.bottom() - panel_.y.place(value.y) * area_.height};
  }

  std::vector<Point> corners(const Series& series) const {
    std::vector<Point> result;
    for (const Point& point : series.points) {
      const Point at = place(point);
      if (series.stairs && !result.empty()) result.push_back({at.x, result.back().y});
      result.push_back(at);
    }
    return result;
  }

  Svg& svg_;
  const LinePanel& panel_;
  const Box& area_;
  Background background_;
};

std::vector<LegendEntry> legend_of(const LineFigure& figure) {
  std::vector<LegendEntry> legend;
  for (const LinePanel& panel : figure.panels) {
    for (const Series& series : panel.series) {
      LegendEntry entry = series.look;
      entry.mark = Mark::kLine;
      if (!entry.text.empty() && std::ranges::find(legend, entry) == legend.end())
        legend.push_back(entry);
    }
  }
  return legend;
}

}  // namespace

std::string draw(const LineFigure& figure, Background background) {
  const std::vector<LegendEntry> legend = legend_of(figure);
  const Layout layout = lay_out(figure.panels.size(), figure.style, figure.title, legend);
  Svg svg(layout.width, layout.height, page_colour(background), figure.title);
  draw_title(svg, figure.title, background);
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    const LinePanel& panel = figure.panels[p];
    svg.open("panel");
    if (figure.style.titles)
      draw_panel_title(svg, layout.areas[p], panel.title, panel.subtitle, background);
    draw_axes(svg, layout.areas[p], panel.x, panel.y, true, background);
    const PanelDrawing drawing(svg, panel, layout.areas[p], background);
    for (const Series& series : panel.series) drawing.draw_series(series);
    svg.close();
  }
  draw_legend(svg, layout.legend, layout.width - 2 * layout.legend.x + 58, legend, background);
  return svg.finish();
}

}  // namespace colltree
