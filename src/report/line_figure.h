// SPDX-License-Identifier: BSD-3-Clause
// A figure of lines: one legend for all panels.
#pragma once

#include <string>
#include <vector>

#include "report/frame.h"

namespace colltree {

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

struct LineFigure {
  std::string title;
  std::vector<LinePanel> panels;
  PanelStyle style;
};

std::string draw(const LineFigure& figure, Background background);

}  // namespace colltree
