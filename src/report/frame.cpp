// SPDX-License-Identifier: BSD-3-Clause
#include "report/frame.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace colltree::report {

namespace {

constexpr double kMargin = 12;
constexpr double kTitleSize = 14;
constexpr double kTitleHeight = 26;
constexpr double kPanelTitleHeight = 32;
constexpr double kLeft = 58;  // of a panel: labels and title of the y axis
constexpr double kRight = 14;
constexpr double kBelow = 44;  // labels and title of the x axis
constexpr double kLegendRow = 18;
constexpr double kLegendMark = 26;  // width of the mark and the gap behind it

std::size_t columns_of(std::size_t panels, const PanelStyle& style) {
  if (style.columns != 0) return std::min(style.columns, std::max<std::size_t>(panels, 1));
  if (panels == 4) return 2;
  return std::clamp<std::size_t>(panels, 1, 3);
}

std::size_t legend_columns(const std::vector<LegendEntry>& legend, double width) {
  double widest = 1;
  for (const LegendEntry& entry : legend) {
    widest = std::max(widest, kLegendMark + text_width(entry.text, 11) + 18);
  }
  return std::clamp<std::size_t>(static_cast<std::size_t>(width / widest), 1,
                                 std::max<std::size_t>(legend.size(), 1));
}

double legend_height(const std::vector<LegendEntry>& legend, double width) {
  if (legend.empty()) return 0;
  const std::size_t columns = legend_columns(legend, width);
  return 8 + kLegendRow * static_cast<double>((legend.size() + columns - 1) / columns);
}

void draw_mark(Svg& svg, Point at, const LegendEntry& entry, Background background) {
  if (entry.mark == Mark::kSwatch) {
    svg.rect({at.x, at.y - 9, 18, 11},
             {.fill = entry.colour, .stroke = faint_colour(background), .width = 0.6});
    return;
  }
  if (entry.mark == Mark::kDots) {
    svg.circle({at.x + 9, at.y - 4}, 1.3, {.fill = entry.colour});
    return;
  }
  svg.line({at.x, at.y - 4}, {at.x + 20, at.y - 4},
           {.stroke = entry.colour, .width = entry.width, .dash = entry.dash});
  draw_marker(svg, {at.x + 10, at.y - 4}, entry.marker, 2.7, entry.colour, page_colour(background));
}

void draw_x_ticks(Svg& svg, const Box& area, const Axis& x, const Paint& tick, Colour text) {
  for (const Tick& one : x.ticks) {
    const double at = area.left + x.place(one.value) * area.width;
    svg.line({at, area.bottom()}, {at, area.bottom() + (one.label.empty() ? 2.5 : 5)}, tick);
    if (one.label.empty()) continue;
    svg.text({at, area.bottom() + 16}, one.label,
             {.size = 10, .colour = text, .anchor = Anchor::kMiddle});
  }
  svg.text({area.left + area.width / 2, area.bottom() + 33}, x.title,
           {.size = 11, .colour = text, .anchor = Anchor::kMiddle});
}

void draw_y_ticks(Svg& svg, const Box& area, const Axis& y, const Paint& tick, Colour text) {
  double widest = 0;
  for (const Tick& one : y.ticks) {
    const double at = area.bottom() - y.place(one.value) * area.height;
    svg.line({area.left - (one.label.empty() ? 2.5 : 5), at}, {area.left, at}, tick);
    if (one.label.empty()) continue;
    svg.text({area.left - 8, at + 3.5}, one.label,
             {.size = 10, .colour = text, .anchor = Anchor::kEnd});
    widest = std::max(widest, text_width(one.label, 10));
  }
  svg.text({area.left - 8 - widest - 8, area.top + area.height / 2}, y.title,
           {.size = 11, .colour = text, .anchor = Anchor::kMiddle, .upwards = true});
}

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

Box panel_area(std::size_t panels, const PanelStyle& style) {
  const std::size_t columns = columns_of(panels, style);
  const double width = columns == 1 ? 520 : columns == 2 ? 360 : columns == 3 ? 270 : 232;
  const double height = columns == 1 ? 330 : columns == 2 ? 240 : columns == 3 ? 190 : 170;
  return {0, 0, style.width > 0 ? style.width : width, style.height > 0 ? style.height : height};
}

Layout lay_out(std::size_t panels, const PanelStyle& style, const std::string& title,
               const std::vector<LegendEntry>& legend) {
  Layout layout;
  layout.columns = columns_of(panels, style);
  const Box area = panel_area(panels, style);
  const double across = kLeft + area.width + kRight;
  const double down = (style.titles ? kPanelTitleHeight : 8) + area.height + kBelow;
  const double top = kMargin + (title.empty() ? 0 : kTitleHeight);
  for (std::size_t p = 0; p < panels; ++p) {
    const auto column = static_cast<double>(p % layout.columns);
    const auto row = static_cast<double>(p / layout.columns);
    layout.areas.push_back({kMargin + column * across + kLeft,
                            top + row * down + (style.titles ? kPanelTitleHeight : 8), area.width,
                            area.height});
  }
  const auto rows = static_cast<double>((panels + layout.columns - 1) / layout.columns);
  layout.width = 2 * kMargin + static_cast<double>(layout.columns) * across;
  layout.legend = {kMargin + kLeft, top + rows * down + 4};
  layout.height = layout.legend.y +
                  legend_height(legend, layout.width - kMargin - kRight - layout.legend.x) +
                  kMargin;
  return layout;
}

void draw_title(Svg& svg, const std::string& title, Background background) {
  if (title.empty()) return;
  svg.text({kMargin + 4, kMargin + kTitleSize}, title,
           {.size = kTitleSize, .colour = text_colour(background), .bold = true});
}

void draw_panel_title(Svg& svg, const Box& area, const std::string& title,
                      const std::string& subtitle, Background background) {
  const Colour text = text_colour(background);
  const bool two = !subtitle.empty();
  svg.text({area.left, area.top - (two ? 19 : 7)}, title,
           {.size = 11.5, .colour = text, .bold = true});
  if (two) svg.text({area.left, area.top - 6}, subtitle, {.size = 10, .colour = text});
}

void draw_axes(Svg& svg, const Box& area, const Axis& x, const Axis& y, bool rules,
               Background background) {
  svg.open("axes");
  const Colour text = text_colour(background);
  const Paint rule{.stroke = faint_colour(background), .width = 0.6, .opacity = 0.7};
  if (rules) {
    for (const Tick& tick : x.ticks) {
      const double at = area.left + x.place(tick.value) * area.width;
      if (!tick.label.empty()) svg.line({at, area.top}, {at, area.bottom()}, rule);
    }
    for (const Tick& tick : y.ticks) {
      const double at = area.bottom() - y.place(tick.value) * area.height;
      if (!tick.label.empty()) svg.line({area.left, at}, {area.right(), at}, rule);
    }
  }
  const Paint line{.stroke = text, .width = 0.8};
  svg.rect(area, line);
  draw_x_ticks(svg, area, x, line, text);
  draw_y_ticks(svg, area, y, line, text);
  svg.close();
}

void draw_legend(Svg& svg, Point at, double width, const std::vector<LegendEntry>& legend,
                 Background background) {
  if (legend.empty()) return;
  svg.open("legend");
  const std::size_t columns = legend_columns(legend, width);
  const std::size_t rows = (legend.size() + columns - 1) / columns;
  const double across = std::min(width / static_cast<double>(columns), 220.0);
  for (std::size_t i = 0; i < legend.size(); ++i) {
    const Point corner{at.x + across * static_cast<double>(i / rows),
                       at.y + 14 + kLegendRow * static_cast<double>(i % rows)};
    draw_mark(svg, corner, legend[i], background);
    svg.text({corner.x + kLegendMark, corner.y}, legend[i].text,
             {.size = 11, .colour = text_colour(background)});
  }
  svg.close();
}

void draw_marker(Svg& svg, Point at, int marker, double size, Colour colour, Colour page) {
  if (marker < 0) return;
  const bool hollow = marker >= 4;
  const Paint paint{.fill = hollow ? page : colour,
                    .stroke = hollow ? colour : page,
                    .width = hollow ? 1.2 : 0.4};
  const double r = size;
  switch (marker % 4) {
    case 0:
      svg.circle(at, r, paint);
      break;
    case 1:
      svg.rect({at.x - r * 0.9, at.y - r * 0.9, 1.8 * r, 1.8 * r}, paint);
      break;
    case 2:
      svg.path(fmt::format("M{} {}l{} {}h{}z", svg_number(at.x), svg_number(at.y - 1.15 * r),
                           svg_number(1.15 * r), svg_number(2 * r), svg_number(-2.3 * r)),
               paint);
      break;
    default:
      svg.path(
          fmt::format("M{} {}l{} {}l{} {}l{} {}z", svg_number(at.x), svg_number(at.y - 1.3 * r),
                      svg_number(1.3 * r), svg_number(1.3 * r), svg_number(-1.3 * r),
                      svg_number(1.3 * r), svg_number(-1.3 * r), svg_number(-1.3 * r)),
          paint);
  }
}

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

}  // namespace colltree::report
