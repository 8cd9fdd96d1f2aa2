// SPDX-License-Identifier: BSD-3-Clause
// What every panel with axes and every figure have in common: how panels are laid out, the frame
// with ticks and titles, the legend below. And the figure of lines.
#pragma once

#include <string>
#include <vector>

#include "report/axis.h"
#include "report/palette.h"
#include "report/svg.h"

namespace colltree::report {

// How a thing looks in the legend.
enum class Mark : std::uint8_t { kSwatch, kLine, kDots };

struct LegendEntry {
  std::string text;
  Colour colour;
  Mark mark = Mark::kSwatch;
  std::string dash;
  int marker = -1;  // draw_marker; -1 = none
  double width = 1.6;

  bool operator==(const LegendEntry&) const = default;
};

struct Layout {
  std::size_t columns = 1;
  double width = 0;  // of the document
  double height = 0;
  std::vector<Box> areas;  // by panel: inside the axes
  Point legend;            // upper left corner
};

// Panels of one size in rows of at most `columns`.
struct PanelStyle {
  std::size_t columns = 0;  // 0 = as many as look good, at most 3
  double width = 0;         // inside the axes; 0 = as looks good
  double height = 0;
  bool titles = true;  // each panel has a title and a line below it
};
Layout lay_out(std::size_t panels, const PanelStyle& style, const std::string& title,
               const std::vector<LegendEntry>& legend);
// What lay_out will take for the area of a panel: axes are made for it.
Box panel_area(std::size_t panels, const PanelStyle& style);

void draw_title(Svg& svg, const std::string& title, Background background);
void draw_panel_title(Svg& svg, const Box& area, const std::string& title,
                      const std::string& subtitle, Background background);

// Frame, ticks outside, titles of the axes; with `rules`, faint lines at labelled ticks.
void draw_axes(Svg& svg, const Box& area, const Axis& x, const Axis& y, bool rules,
               Background background);

// Below the panels, in columns of equal width.
void draw_legend(Svg& svg, Point at, double width, const std::vector<LegendEntry>& legend,
                 Background background);

// One of a few shapes, for those who cannot tell the colours apart.
void draw_marker(Svg& svg, Point at, int marker, double size, Colour colour, Colour page);

struct Spread {
  double low = 0;
  double high = 0;
};

struct Series {
  LegendEntry look;               // its text is the name; "" = not in the legend
  std::vector<Point> points;      // values of the axes, ascending in x
  std::vector<Spread> intervals;  // of y, by point; or empty
  bool stairs = false;            // the value holds until the next point
};

struct LinePanel {
  std::string title;
  std::string subtitle;
  Axis x;
  Axis y;
  std::vector<Series> series;  // the first are drawn first
};

// One legend for all panels.
struct LineFigure {
  std::string title;
  std::vector<LinePanel> panels;
  PanelStyle style;
};

std::string draw(const LineFigure& figure, Background background);

}  // namespace colltree::report
